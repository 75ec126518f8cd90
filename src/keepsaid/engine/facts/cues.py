"""Cues that distinguish a sentence worth keeping from small talk: groups of phrases that show the same about a sentence.

A cue is one feature of the note model (`note_model.py`), in addition to the words of the sentence. The phrases of a cue were
written by hand, from general knowledge of English and from one half of the first labels; the weight of a cue is fitted.

Phrases are separated by spaces; an underscore is a space within a phrase. A phrase has at most three words,
split at apostrophes: "don't" is two.
"""

from __future__ import annotations

CUE_PHRASES: dict[str, str] = {
    "aside": "by_the_way btw speaking_of side_note fun_fact for_context guess_what so_you_know fyi on_another_note",
    "my": "my our mine",
    "close person": (
        "mother mom mum father dad parents sister brother siblings son daughter kids kid children wife husband spouse"
        " partner girlfriend boyfriend fiance fiancee grandmother grandma grandfather grandpa aunt uncle cousin cousins"
        " niece nephew in_laws twin twins baby family friend friends roommate neighbor neighbour colleague colleagues"
        " coworker coworkers boss manager mentor coach therapist landlord pals classmates teammates dog dogs puppy cat"
        " cats kitten pet pets pups horse"
    ),
    "likes": (
        "i_love we_love i_like i_enjoy i_prefer i_hate i_dislike i_adore can't_stand cannot_stand don't_like do_love"
        " do_like do_prefer do_enjoy don't_eat don't_drink really_like really_love really_enjoy also_love also_like"
        " also_enjoy always_loved fan_of a_fan city_fan favorite favourite favorites favourites hobby hobbies passion"
        " passionate fond_of my_love_of my_love_for love_of fascination obsessed i'm_into not_my_thing would_rather"
        " i'd_rather my_thing my_jam sweet_tooth"
    ),
    "likes this": (
        "i_like_the i_love_the i_like_that i_love_that i_like_your i_love_your i_like_these i_love_how i_like_how"
        " like_the_idea love_the_idea i_like_this i_love_this i_love_it i_like_it i_like_those i'd_love i'd_like"
        " would_love would_like i_love_you"
    ),
    "habit": (
        "usually always often regularly typically normally generally every weekly daily tend tends twice a_week a_day"
        " a_month each_week each_month each_day once_a most_days whenever the_evenings the_mornings on_sundays"
        " on_saturdays on_mondays on_tuesdays on_wednesdays on_thursdays on_fridays on_weekends at_weekends rarely"
        " seldom routine habit i_never nightly"
    ),
    "own habit": (
        "i_usually i_always i_often i_typically i_normally i_generally i_regularly i_tend i_rarely we_usually"
        " we_always we_often every_morning every_evening every_night every_week every_month every_year every_weekend"
        " every_sunday every_saturday every_friday every_day whenever_i i_turn_to my_routine i_wake_up i_get_up i_go_to"
        " on_sundays on_saturdays on_fridays on_weekends the_evenings the_mornings i_spend"
    ),
    "been doing": "ve_been have_been has_been been_practicing been_working been_learning been_playing been_using",
    "lately": "lately recently these_days nowadays this_year this_month currently a_while last_year",
    "trivial have": (
        "a_question have_questions have_a_few have_any have_trouble having_trouble have_to have_no have_time a_feeling"
        " a_pic a_picture great_time a_blast had_fun the_chance an_idea no_idea great_experience"
    ),
    "acquired": (
        "bought purchased ordered adopted inherited acquired sold got_my got_a got_an got_some got_new accumulated"
        " installed replaced upgraded switched rented leased collecting collection planted my_new our_new"
    ),
    "deed": (
        "attended volunteered hosted joined started finished completed visited graduated moved participated collaborated"
        " performed won launched published signed_up taught learned tried_my built founded opened retired hiked traveled"
        " travelled organized organised raised competed presented celebrated took_up flew listened renovated flooded"
        " passed_away died born got_married engaged diagnosed promoted hired got_fired was_fired laid_off enrolled"
        " donated ran_a did_a broke_my"
    ),
    "plan": (
        "planning plan_to plans_to plan_on working_on working_towards training_for preparing_for saving_for saving_up"
        " signing_up decided_to my_goal goal_is goal_of house_hunting moving_to getting_married bucket_list my_list"
        " thesis dissertation my_project meaning_to learning_to looking_forward i'm_learning project_on on_track"
        " participating applying_for applied"
    ),
    "thought of": "thinking_of thinking_about considering hoping_to hope_to going_to looking_to trying_to want_to_start",
    "appointment": (
        "appointment appointments scheduled reservation booked interview exam deadline surgery flight concert wedding"
        " marathon race festival conference workshop tournament trip vacation cruise birthday anniversary honeymoon"
    ),
    "health": (
        "allergy allergies allergic diet dietary vegetarian vegan pescatarian gluten celiac coeliac lactose intolerant"
        " intolerance asthma asthmatic diabetes diabetic migraine migraines anxiety depression adhd chronic arthritis"
        " injury injured surgeon surgery diagnosed diagnosis medication insulin numbness symptoms sensitivities phobia"
        " afraid_of scared_of fear_of terrifies pregnant can't_afford can't_eat can't_drink can't_climb can't_walk"
        " wheelchair hearing_aid disability my_budget our_budget my_knee my_back gluten_free sensitive_to halal kosher"
        " faint hip_replacement knee_replacement pacemaker"
    ),
    "identity": (
        "years_old year_old my_name i'm_from i_am_from i_live we_live i_lived we_lived i_work we_work i_worked i_study"
        " i'm_studying i_studied my_job degree my_major grew_up hometown home_town was_born my_apartment new_apartment"
        " our_house my_house i_moved we_moved as_a native_speaker bilingual retired my_career my_birthday"
        " my_company my_business my_store my_shop lived_in living_in working_as working_at i_am_a i'm_a"
        " my_studio our_team my_team used_to_live used_to_work"
    ),
    "pastime": (
        "yoga pilates meditation gym workout workouts running jogging run runs hiking hike hikes cycling biking swimming"
        " swim skiing snowboarding surfing climbing kayaking sailing camping fishing hunting tennis basketball football"
        " soccer rugby cricket golf volleyball badminton boxing martial_arts karate judo dance dancing ballet marathon"
        " triathlon guitar piano cello drums ukulele singing choir orchestra band painting paint drawing sketching"
        " violin photography pottery ceramics knitting crochet sewing quilting embroidery woodworking baking cooking"
        " gardening chess board_games video_games gaming blogging podcast birding bird_watching stargazing volunteer"
        " volunteering volunteered charity shelter church mosque temple synagogue club fundraiser food_bank community_center"
    ),
    "work": (
        "job career company business startup store shop clients customers boss coworkers office thesis dissertation research"
        " course courses class classes degree university college school professor certification internship nonprofit"
        " product studio freelance shift shifts promotion"
    ),
    "ended": "no_longer any_more anymore used_to quit stopped gave_up switched_from got_rid",
    "wonder": (
        "wondering curious interested_in intrigued know_more learn_more hear_more tell_me me_know more_about"
        " looking_for explore_the explore_more understanding_how to_know"
    ),
    "asks": (
        "can_you could_you would_you do_you help_me give_me tips recommend recommendation recommendations suggest"
        " suggestion suggestions advice ideas question questions some_help please resources"
    ),
    "will": "i'll we'll i_will we_will",
    "think": (
        "i_think i_guess i_believe i_feel i_felt i_bet i_know i_understand i_see i_agree i_suppose not_sure i'm_sure"
        " pretty_sure i_heard i've_heard i_realize i_realized i_realised didn't_realize made_me makes_me it_made seem"
        " seems sounds i_want i_wanted i_need make_sure i_hope i_wish"
    ),
    "feeling": (
        "excited glad happy proud grateful inspired stoked thankful sorry awe appreciate thanks thank thrilled honored"
        " rewarding feel felt feeling cherish lucky"
    ),
    "passing": (
        "tired hungry bored busy stuck late sick_today right_now just_had just_ate just_woke can't_find i'm_standing"
        " i'm_sitting at_work_right on_the_bus feeling_a i'm_fine i'm_good i'm_ok been_waiting moved_on been_stuck"
        " error errors exception traceback crashes my_code the_code my_script throws"
    ),
    "praises": "so_nice so_cute so_sweet so_good so_great so_kind so_cool so_proud",
    "hedged": "maybe perhaps almost nearly neither nor never_lived never_been never_had never_thought never_tried",
    "you": "you your yours yourself",
    "lets": "let's let_us",
}
