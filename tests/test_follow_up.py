"""Follow-up questions become questions that can be searched alone."""

import time
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keepsaid.engine.follow_up import (
    MAX_RECENT_MESSAGES,
    StandaloneQuestion,
    build_question_instructions,
    complete_question,
    parse_rewritten_question,
)
from keepsaid.engine.query.query import parse_query
from keepsaid.engine.text.terms import terms
from keepsaid.types import Message, Role, SearchFilters


def talk(*turns):
    """Messages that take turns, the user first; a turn that begins with "tool:" is a tool's result."""
    messages = []
    for number, text in enumerate(turns, start=1):
        role = Role.ASSISTANT if number % 2 == 0 else Role.USER
        if text.startswith("tool:"):
            role, text = Role.TOOL, text.removeprefix("tool:").strip()
        messages.append(Message(f"m{number}", "s", number, number - 1, role, text, 0, number, 0.5, False, {}))
    return messages


def has(text, phrase):
    """Whether all the words of a phrase are in a text, whatever their form and order."""
    return set(terms(phrase)) <= set(terms(text))


# Written before the rules.
FIRST = [
    # travel
    (
        [
            "Should I spend a long weekend in Lisbon or in Porto?",
            "Both are lovely. Lisbon has more museums, Porto is cheaper.",
        ],
        "How do they compare in winter?",
        ["Lisbon", "Porto"],
    ),
    (
        ["What is the weather like in Lisbon in summer?", "Hot and dry, about 28 degrees, with cool evenings."],
        "and in winter?",
        ["Lisbon", "weather"],
    ),
    (
        [
            "Find me hotels near the harbour in Bergen.",
            "Here are three:\n1. Hotel Aurora, 120 euros\n2. Fjord Inn, 95 euros\n3. Quay House, 150 euros",
        ],
        "What about the second one?",
        ["Fjord Inn"],
    ),
    (
        ["We are flying to Reykjavik with Icelandair on Friday.", "Nice! Icelandair lets you take one free carry-on bag."],
        "Do they charge for a suitcase?",
        ["Icelandair"],
    ),
    (
        ["My passport expires in March.", "Renewal takes about six weeks, so apply in January."],
        "Where do I do that?",
        ["passport", "renewal"],
    ),
    # code
    (
        [
            "Which is faster for our cache, Redis or Memcached?",
            "For plain string values they are close; Redis has more types.",
        ],
        "Does the other one support clustering?",
        ["Memcached"],
    ),
    (
        ["The function parse_config raises a KeyError when the file is empty.", "Add a default before you read the key."],
        "Why does it do that?",
        ["parse_config", "KeyError"],
    ),
    (
        ["I want to move our service from Flask to FastAPI.", "FastAPI gives you validation and async handlers for free."],
        "Is it hard to test?",
        ["FastAPI"],
    ),
    (
        ["How do I undo the last commit in git?", "Use `git reset --soft HEAD~1`; it keeps your changes staged."],
        "and if I already pushed?",
        ["undo", "commit"],
    ),
    (
        ["Postgres or SQLite for the desktop app?", "SQLite: it needs no server and ships with Python."],
        "Why?",
        ["SQLite"],
    ),
    # family
    (
        [
            "My sister Ana moved to Madrid last year.",
            "How exciting! What does she do there?",
            "She teaches at a primary school.",
        ],
        "is she still there?",
        ["Ana", "Madrid"],
    ),
    (
        ["My brother Tom got a puppy called Biscuit.", "How sweet! How old is Biscuit?", "Ten weeks."],
        "What did he call it?",
        ["Tom", "puppy"],
    ),
    (
        ["Grandma's birthday is on 14 June.", "Noted. Shall I remind you a week before?"],
        "What should I get her?",
        ["Grandma", "birthday"],
    ),
    (
        ["My parents are visiting us in October.", "Lovely! How long will they stay?"],
        "Where can they sleep?",
        ["parents"],
    ),
    (
        ["Emma and Lucas both start school in September.", "That will be a busy autumn."],
        "Which of them has the nut allergy?",
        ["Emma", "Lucas"],
    ),
    # shopping
    (
        ["I bought a Bosch dishwasher last month.", "Good choice, they are quiet."],
        "how much was it?",
        ["Bosch", "dishwasher"],
    ),
    (
        [
            "I am looking at the Kindle Paperwhite and the Kobo Clara.",
            "The Paperwhite is brighter; the Clara reads EPUB files.",
        ],
        "I'd rather take the latter. Is it waterproof?",
        ["Kobo Clara"],
    ),
    (
        ["Do you know a good espresso machine under 300 euros?", "The Gaggia Classic is a favourite at that price."],
        "Does it need a separate grinder?",
        ["Gaggia Classic"],
    ),
    (
        ["My running shoes are worn out again.", "Which model are they?", "Asics Novablast, size 43."],
        "Where did I buy those?",
        ["Asics Novablast"],
    ),
    (
        ["Can you compare the red sofa and the grey sofa?", "The red sofa is cheaper, the grey sofa has washable covers."],
        "What do both cost?",
        ["red sofa", "grey sofa"],
    ),
    # health
    (
        ["My doctor prescribed ibuprofen for my knee.", "Take it with food and not for more than ten days."],
        "Can I take it with coffee?",
        ["ibuprofen"],
    ),
    (
        ["Dr. Patel said my iron level is too low.", "Lentils, spinach and red meat help."],
        "When did he say that?",
        ["Patel", "iron"],
    ),
    (
        ["What helps against a migraine?", "A dark room, water, and early medication."],
        "and against a cold?",
        ["helps"],
    ),
    (
        ["I have been doing yoga and swimming for my back.", "Both are gentle on the spine."],
        "Which one is better?",
        ["yoga", "swimming"],
    ),
    (
        ["My blood pressure was 150 over 95 yesterday.", "That is raised. Did you measure it after resting?"],
        "How high was it the time before?",
        ["blood pressure"],
    ),
    # work
    (
        ["The client Northwind wants the report by Monday.", "I can draft it tonight."],
        "What did they want last time?",
        ["Northwind"],
    ),
    (
        ["Maria from accounting approved the budget of 40,000 euros.", "Great, then you can order the laptops."],
        "Who told you that?",
        ["Maria", "budget"],
    ),
    (
        ["Our meeting with Siemens is moved to Thursday at ten.", "I updated the calendar."],
        "Who is coming?",
        ["meeting", "Siemens"],
    ),
    (
        [
            "Give me names for the newsletter.",
            "Some ideas:\n- Monday Bytes\n- The Quiet Build\n- Ship Notes",
        ],
        "I like the last one. Is it taken?",
        ["Ship Notes"],
    ),
    (
        ["Sarah and Priya presented the roadmap today.", "How did it go?", "The board liked Priya's part best."],
        "What was her part about?",
        ["Priya", "roadmap"],
    ),
    # other
    (
        ['Who wrote "The Left Hand of Darkness"?', "Ursula K. Le Guin, in 1969."],
        "What else did she write?",
        ["Ursula", "Le Guin"],
    ),
    (
        ["Tell me about the Treaty of Westphalia.", "It ended the Thirty Years' War in 1648."],
        "Who signed it?",
        ["Treaty of Westphalia"],
    ),
]

# Written after the first rules: 24 of 36 at first sight. The rules were then mended with these in view.
LATER = [
    # travel
    (
        ["I have booked the night train from Vienna to Venice.", "Great. Bring earplugs, the cabins can be noisy."],
        "What time does it arrive?",
        ["night train", "Venice"],
    ),
    (
        [
            "Is it cheaper to rent a car in Crete or take the bus?",
            "The bus is much cheaper, but a car gets you to the small beaches.",
        ],
        "And in Sardinia?",
        ["Sardinia", "car", "bus"],
    ),
    (
        [
            "We stayed at the Blue Lagoon Resort in May.",
            "That sounds relaxing! Did the kids like the pool?",
            "They loved it.",
        ],
        "How much did we pay there?",
        ["Blue Lagoon Resort"],
    ),
    (
        [
            "Recommend a few day trips from Kyoto.",
            "1. **Nara**: deer and temples\n2. **Osaka**: street food\n3. **Uji**: green tea",
        ],
        "How do I get to the third one?",
        ["Uji"],
    ),
    (
        ["Do I need a visa for Vietnam?", "With a German passport you can stay 45 days without one."],
        "What about Laos?",
        ["Laos", "visa"],
    ),
    (
        ["My flight to Toronto was cancelled.", "I'm sorry. Which airline was it?", "Air Canada."],
        "Do they owe me money?",
        ["Air Canada"],
    ),
    # code
    (
        ["I get 'connection refused' from the staging database.", "Check that the firewall lets port 5432 through."],
        "How do I do that?",
        ["firewall", "database"],
    ),
    (
        ["Our build takes twenty minutes since we added the Docker step.", "You could cache the image layers."],
        "Would that make it faster?",
        ["build", "cache"],
    ),
    (
        ["Explain the difference between a list and a tuple in Python.", "A list can be changed, a tuple cannot."],
        "Which one uses less memory?",
        ["list", "tuple"],
    ),
    (
        ["We log in with OAuth, and the token expires after an hour.", "You can refresh it with the refresh token."],
        "Can it last longer?",
        ["token"],
    ),
    (
        ["Should the tests use pytest or unittest?", "I would use pytest; its fixtures are simpler."],
        "Does the other one come with Python?",
        ["unittest"],
    ),
    (
        ["Rename the column user_name to login in the accounts table.", "Done in migration 0042."],
        "Can you undo that?",
        ["column", "migration 0042"],
    ),
    # family
    (
        [
            "My daughter Mia has piano lessons with Mr. Okafor.",
            "How is she getting on?",
            "Very well, he says she should take an exam.",
        ],
        "When does she see him again?",
        ["Mia", "Okafor"],
    ),
    (
        ["Uncle Bernd fell off his bike on Sunday.", "Oh no, is he all right?", "He broke his wrist."],
        "Which hospital is he in?",
        ["Bernd"],
    ),
    (
        ["My wife wants to go to the opera for our anniversary.", "What a nice idea. Shall I look for tickets?"],
        "Which one did she like so much last year?",
        ["wife", "opera"],
    ),
    (
        ["Our twins were born in the Charité in 2019.", "So they are in school already?", "Since last summer."],
        "Who was their midwife?",
        ["twins"],
    ),
    (
        ["Aunt Lucy and Uncle Fred are getting divorced.", "I'm sorry to hear that."],
        "Who told me?",
        ["Lucy", "Fred"],
    ),
    # shopping
    (
        ["I ordered a standing desk from Flexispot on Tuesday.", "It should come within five working days."],
        "Has it been shipped?",
        ["standing desk", "Flexispot"],
    ),
    (
        [
            "I can't decide between the OnePlus 12 and the Pixel 8.",
            "The Pixel 8 takes better pictures, the OnePlus 12 charges faster.",
        ],
        "What is the difference in price between them?",
        ["OnePlus 12", "Pixel 8"],
    ),
    (
        ["I need a waterproof jacket for hiking.", "Look at the Marmot PreCip or the Patagonia Torrentshell."],
        "Do you have something cheaper than the first one?",
        ["Marmot PreCip"],
    ),
    (
        ["The blue curtains I bought are too short.", "You could return them within thirty days."],
        "Where did I get those curtains?",
        ["blue curtains"],
    ),
    (
        ["How much is a season ticket for the zoo?", "Adults pay 60 euros a year."],
        "For children?",
        ["season ticket", "zoo"],
    ),
    # health
    (
        [
            "I have started taking magnesium because of cramps at night.",
            "How much do you take?",
            "400 milligrams before bed.",
        ],
        "Is that too much?",
        ["magnesium"],
    ),
    (
        ["Dr. Weber wants me to see a cardiologist.", "Did she say why?", "She heard a murmur."],
        "What exactly did she hear?",
        ["Weber", "murmur"],
    ),
    (
        ["My son is allergic to peanuts and shellfish.", "I'll leave both out of the meal plan."],
        "How bad is it?",
        ["son", "allergic"],
    ),
    (
        [
            "Compare the keto diet with the Mediterranean diet.",
            "Keto is stricter; the Mediterranean diet is easier to keep up.",
        ],
        "Is the latter good for the heart?",
        ["Mediterranean diet"],
    ),
    (
        ["I ran the half marathon in Hamburg in 1:52.", "Congratulations! Was it your best time?"],
        "How fast was I before that?",
        ["half marathon"],
    ),
    # work
    (
        ["Jonas will take over the payments team from Ingrid.", "When does he start?", "In two weeks."],
        "What will she do then?",
        ["Ingrid"],
    ),
    (
        ["The invoice from Contoso is 1,200 euros too high.", "Shall I write to them?", "Yes, please."],
        "What did they answer?",
        ["Contoso", "invoice"],
    ),
    (
        ["I applied for the position at Zalando and at Delivery Hero.", "Good luck with both!"],
        "Has either of them replied?",
        ["Zalando", "Delivery Hero"],
    ),
    (
        ["We decided to launch the beta on 3 March.", "I'll tell the team."],
        "Why did we choose that date?",
        ["beta", "launch"],
    ),
    (
        ["My manager rejected my vacation request.", "Did he give a reason?", "Too many people are away in August."],
        "Has he done this before?",
        ["manager", "vacation"],
    ),
    # other
    (
        ["What is the capital of Australia?", "Canberra."],
        "How many people live there?",
        ["Canberra"],
    ),
    (
        ["Who painted the Night Watch?", "Rembrandt, in 1642."],
        "Where does it hang?",
        ["Night Watch"],
    ),
    (
        ["Tell me about photosynthesis.", "Plants turn light, water and carbon dioxide into sugar and oxygen."],
        "Can you explain it more simply?",
        ["photosynthesis"],
    ),
    (
        ["I am reading Middlemarch at the moment.", "A long one! Do you like it?", "Dorothea annoys me."],
        "Who does she marry in the end?",
        ["Dorothea"],
    ),
]

# Written after that: 11 of 24 at first sight. The rules were then mended with these in view.
FRESH = [
    (
        ["I want to see the northern lights.", "Tromsø and Abisko are good places for that."],
        "Which is closer to Stockholm?",
        ["Tromsø", "Abisko"],
    ),
    (
        ["Our landlord raised the rent by 8 percent.", "Did he give you notice in writing?", "Only by phone."],
        "Can he do that?",
        ["landlord", "rent"],
    ),
    (["Katie's graduation is on 20 June in Leeds.", "I'll add it to the calendar."], "How far is it by train?", ["Leeds"]),
    (["Write a haiku about autumn.", "Crisp leaves drift and fall / ..."], "Now one about spring.", ["haiku"]),
    (
        ["What does the flag --dry-run do?", "It prints what would happen without doing it."],
        "Is it on by default?",
        ["--dry-run"],
    ),
    (
        [
            "Suggest three books on the Roman Empire.",
            "1. SPQR by Mary Beard\n2. Rubicon by Tom Holland\n3. Augustus by Adrian Goldsworthy",
        ],
        "Who wrote the second?",
        ["Rubicon"],
    ),
    (
        ["The washing machine leaks again.", "Have you checked the door seal?", "Yes, it looks fine."],
        "Who repaired it last time?",
        ["washing machine"],
    ),
    (
        ["I'm thinking of adopting a greyhound.", "They are calm dogs and sleep a lot."],
        "How much exercise do they need?",
        ["greyhound"],
    ),
    (["Can I freeze cooked rice?", "Yes, for up to a month."], "And pasta?", ["freeze", "cooked"]),
    (
        ["My flatmate Yusuf owes me 80 euros for the electricity.", "Do you want to remind him?"],
        "When did I lend him the money?",
        ["Yusuf"],
    ),
    (
        ["Kubernetes keeps restarting the billing pod.", "Look at its memory limit."],
        "Where do I find that?",
        ["memory limit"],
    ),
    (
        [
            "We looked at a flat in Neukölln and one in Wedding.",
            "Which did you like better?",
            "The one in Wedding has a balcony.",
        ],
        "What was the rent of the other one?",
        ["Neukölln"],
    ),
    (["I took 20 mg of cetirizine yesterday.", "The usual dose is 10 mg a day."], "Is it dangerous?", ["cetirizine"]),
    (
        ["Please book a table at Osteria Lucca for Friday.", "For how many people?", "Four."],
        "Do they have vegan dishes?",
        ["Osteria Lucca"],
    ),
    (
        ["My mother had her hip replaced in Freiburg.", "How is she recovering?", "Slowly."],
        "Which surgeon operated on her?",
        ["mother", "hip"],
    ),
    (
        ["Is the Honda Jazz a hybrid?", "Yes, the current model is."],
        "What about the Toyota Yaris?",
        ["Toyota Yaris", "hybrid"],
    ),
    (
        ["Lena and Paul invited us to their wedding.", "How nice! When is it?", "On 7 September."],
        "What should we give them?",
        ["Lena", "Paul", "wedding"],
    ),
    (
        ["The quarterly report shows that churn rose to 6 percent.", "That is two points more than last quarter."],
        "Why?",
        ["churn"],
    ),
    (
        ["I lost my umbrella on the tram.", "Have you asked the lost property office?"],
        "Where is that?",
        ["lost property office"],
    ),
    (
        ["We switched from Jira to Linear in spring.", "How do you like it?", "It is much faster."],
        "Why did we leave the old one?",
        ["Jira"],
    ),
    (
        ["Tell me a joke about penguins.", "Why don't penguins fly? Because they're not tall enough to be pilots."],
        "Another one, please.",
        ["joke", "penguins"],
    ),
    (
        ["My son starts at Humboldt Gymnasium after the holidays.", "Which class?", "Year five."],
        "Who is his teacher?",
        ["son", "Humboldt Gymnasium"],
    ),
    (
        ["I need to renew my driving licence.", "You can do it online or at the town hall."],
        "What does the first option cost?",
        ["online"],
    ),
    (
        ["Anna Seghers wrote The Seventh Cross in exile.", "Yes, it appeared in Mexico in 1942."],
        "Was it made into a film?",
        ["Seventh Cross"],
    ),
]

# Written after that: 14 of 20 at first sight. The rules were then mended with these in view.
UNSEEN = [
    (
        ["Which phone plan has the most data?", "Congstar offers 50 GB, Aldi Talk 30 GB."],
        "How much is the first one?",
        ["Congstar"],
    ),
    (
        ["My cousin Zoe is moving to Oslo for a job at Equinor.", "When does she leave?", "In August."],
        "Has she found a flat there?",
        ["Zoe", "Oslo"],
    ),
    (
        ["The deploy failed with exit code 137.", "That usually means the container ran out of memory."],
        "How can I prevent it?",
        ["container", "memory"],
    ),
    (
        ["I planted tomatoes and basil on the balcony.", "Both like a lot of sun."],
        "How often should I water them?",
        ["tomatoes", "basil"],
    ),
    (
        ["Professor Lindqvist gave me a B on the essay.", "Did she explain why?"],
        "What did she criticise?",
        ["Lindqvist", "essay"],
    ),
    (["What is the boiling point of water?", "100 degrees Celsius at sea level."], "And of alcohol?", ["boiling point"]),
    (
        ["We are choosing between Vue and Svelte for the dashboard.", "Svelte gives smaller bundles."],
        "And which one has more libraries?",
        ["Vue", "Svelte"],
    ),
    (
        ["I had a root canal at Dr. Huang's on Monday.", "I hope it wasn't too painful."],
        "Does it still hurt after a week normally?",
        ["root canal"],
    ),
    (["Grandpa keeps his war letters in a tin box.", "What a treasure."], "Has anyone read them?", ["letters"]),
    (
        ["The Canon R6 or the Sony A7 IV for weddings?", "Both are great; the Sony has more resolution."],
        "Which is lighter?",
        ["Canon R6", "Sony A7 IV"],
    ),
    (
        ["My team uses Slack, but the client insists on Teams.", "You can bridge the two with Mio."],
        "What does that cost?",
        ["Mio"],
    ),
    (
        ["I paid 45 euros for a parking ticket in Cologne.", "Was the sign visible?", "No."],
        "Can I appeal against it?",
        ["parking ticket"],
    ),
    (
        ["Our daughter Nele wants to learn the cello.", "How old is she?", "Nine."],
        "Where could she take lessons?",
        ["Nele", "cello"],
    ),
    (
        ["Make a packing list for Iceland.", "- rain jacket\n- wool socks\n- swimsuit\n- headlamp"],
        "Why do I need the last one?",
        ["headlamp"],
    ),
    (
        [
            "Our insurer Allianz refused the claim for the water damage.",
            "On what grounds?",
            "They say the pipe was too old.",
        ],
        "Who did I talk to there?",
        ["Allianz"],
    ),
    (
        ["I finished the Couch to 5K programme.", "Well done! What comes next?", "Maybe a 10K in autumn."],
        "How long did it take me?",
        ["Couch to 5K"],
    ),
    (
        ["Is the pharmacy on Main Street open on Sundays?", "No, only until Saturday noon."],
        "What about the one at the station?",
        ["pharmacy"],
    ),
    (
        ["Marcus proposed to Elena in Rome.", "How romantic! Did she say yes?", "Of course."],
        "What kind of ring did he give her?",
        ["Marcus", "Elena"],
    ),
    (
        ["My cat Pixel has stopped eating.", "Since when?", "Since Tuesday."],
        "Should I take her to the vet?",
        ["cat", "Pixel"],
    ),
    (["The warranty on my laptop ends in May.", "You could extend it for 90 euros."], "Is that worth it?", ["warranty"]),
]

# Written after that: 9 of 16 at first sight. The rules were then mended with these in view.
FINAL = [
    (
        ["My neighbour plays the drums until midnight.", "Have you talked to her?", "Twice."],
        "What did she say?",
        ["neighbour", "drums"],
    ),
    (
        ["Terraform or Pulumi for the new cluster?", "Pulumi lets you write TypeScript."],
        "What about the other?",
        ["Terraform"],
    ),
    (
        ["The hotel in Split wants a deposit of 200 euros.", "Pay it by card, so you can get it back."],
        "Is it refundable?",
        ["deposit"],
    ),
    (
        ["My blood test showed low vitamin D.", "Twenty minutes of sun a day help."],
        "Should I take pills for it?",
        ["vitamin D"],
    ),
    (
        ["I got an offer from Bosch and one from Continental.", "Congratulations! Which do you prefer?"],
        "Bosch. How much do they pay?",
        ["Bosch"],
    ),
    (["How long do I boil an egg?", "Six minutes for a soft one."], "And for a hard one?", ["boil", "egg"]),
    (
        ["Our son Emil broke his arm in the playground.", "Poor boy! Is he in hospital?", "No, at home."],
        "When does the cast come off?",
        ["arm"],
    ),
    (
        ["I'm writing a novel about a lighthouse keeper.", "What is he called?", "Anselm."],
        "What did I say about his wife?",
        ["Anselm"],
    ),
    (
        ["We have a leak under the kitchen sink.", "Call a plumber or tighten the trap yourself."],
        "How do I do the latter?",
        ["trap"],
    ),
    (["Send the minutes to Farah and Colin.", "Sent to both."], "Did they confirm?", ["Farah", "Colin"]),
    (["My Renault Zoe needs new tyres.", "Which size?", "195/55 R16."], "Where did I get the old ones?", ["tyres"]),
    (
        ["Summarise the article on coral bleaching.", "Warm water makes corals lose their algae, and many die."],
        "Can they recover?",
        ["corals"],
    ),
    (["Aunt Greta left me her piano.", "Do you play?", "Not yet."], "How old is it?", ["piano"]),
    (["Is the Louvre open on Tuesdays?", "No, it is closed on Tuesdays."], "On Mondays?", ["Louvre", "open"]),
    (
        ["I keep getting error E24 on the dishwasher.", "That means the water does not drain."],
        "How do I fix that?",
        ["E24", "dishwasher"],
    ),
    (
        ["Nina recommended the restaurant Zum Hirsch to us.", "Shall I book it?"],
        "What did she like about it?",
        ["Nina", "Zum Hirsch"],
    ),
]

# Written after that: 14 of 16 at first sight. No rule was changed because of these.
CHECK = [
    (
        ["I ordered two pizzas from Luigi's an hour ago.", "They usually take forty minutes."],
        "Can you call them?",
        ["Luigi"],
    ),
    (["What is the visa fee for India?", "About 25 dollars for an e-visa."], "How do I pay it?", ["visa fee", "India"]),
    (
        ["My boss Karin wants slides by Wednesday.", "How many?", "Ten at most."],
        "Did she give me a template?",
        ["Karin", "slides"],
    ),
    (
        ["Black or white for the kitchen cabinets?", "White makes a small kitchen look larger."],
        "And the floor?",
        ["kitchen"],
    ),
    (
        ["Our dog Rocky ate a whole bar of chocolate.", "How heavy is he?", "About 30 kilos."],
        "Is that dangerous for him?",
        ["Rocky", "chocolate"],
    ),
    (
        ["How do I center a div with CSS?", "Use `display: grid` and `place-items: center`."],
        "Does that work in old browsers?",
        ["display: grid"],
    ),
    (
        ["I've been offered seats in row 5 or row 20.", "Row 5 is closer, row 20 is cheaper."],
        "What would the former cost?",
        ["row 5"],
    ),
    (
        ["My therapist suggested a sleep diary.", "Have you started one?", "Yesterday."],
        "What should I write in it?",
        ["sleep diary"],
    ),
    (
        ["Henrik, my brother-in-law, is a pilot at SAS.", "Interesting! Which routes does he fly?"],
        "How long has he been with them?",
        ["Henrik", "SAS"],
    ),
    (
        ["Can you recommend a podcast about astronomy?", "Try Astronomy Cast or StarTalk."],
        "Who hosts the second one?",
        ["StarTalk"],
    ),
    (
        ["We need to cut the cloud bill by 30 percent.", "Start with the idle GPU instances."],
        "How many of those do we have?",
        ["GPU instances"],
    ),
    (["The Eiffel Tower was finished in 1889.", "Yes, for the World's Fair."], "How tall is it?", ["Eiffel Tower"]),
    (["I'm allergic to penicillin.", "I'll remember that."], "Since when?", ["penicillin"]),
    (
        ["Fatima and Noor want to share a room in Berlin.", "Which nights?", "From 3 to 6 May."],
        "What is their budget?",
        ["Fatima", "Noor"],
    ),
    (["The tiramisu at Da Marco was the best I ever had.", "Would you like the recipe?"], "What was in it?", ["tiramisu"]),
    (["My old school is being torn down.", "That must feel strange."], "When was it built?", ["school"]),
]

MISSED = {
    "What was her part about?",  # what was presented is two messages away
    "Would that make it faster?",
    "Why did we choose that date?",
    "What was the rent of the other one?",  # "a flat in Neukölln and one in Wedding"
    "What does the first option cost?",  # "online or at the town hall"
    "How can I prevent it?",
    "How long did it take me?",
    "And for a hard one?",
    "When does the cast come off?",  # nothing in it points back
    "How do I do the latter?",  # of two deeds, not things
    "And the floor?",
    "How long has he been with them?",
}
"""Known misses. One that is found one day should leave the list."""


@pytest.mark.parametrize(
    ("turns", "question", "expected"),
    [*FIRST, *LATER, *FRESH, *UNSEEN, *FINAL, *CHECK],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_follow_up_is_completed_with_its_referents(turns, question, expected):
    rewritten = complete_question(question, talk(*turns))
    found = all(has(rewritten.text, phrase) for phrase in expected)
    assert found == (question not in MISSED), rewritten.text


ALONE = [
    "Where does my sister live?",
    "What is photosynthesis?",
    "Who is Napoleon?",
    "When did Caroline go to the support group, and who was with her?",
    "How many days did it take me to finish the puzzle?",
    "Is it safe to swim in the Seine?",
    "What did Joanna write while she was in Paris?",
    "I bought a new bike. How much did it cost?",
    "Which is better for a beginner's garden, tomatoes or beans?",
    "I think that is enough about the shop that is near the station.",
    "How is John's new puppy adjusting to its new home?",
    "Are there good museums in Ghent?",
    "What made James leave his IT job?",
    "Do both Anna and Peter like fish?",
    "What should I cook tonight?",
    "How are you?",
    "Thanks, that helps a lot!",
    "What time is it?",
    "My flight leaves at nine.",
    "Please summarise my notes on the budget.",
    "東京の天気はどうですか？",
    "¿Dónde vive mi hermana?",
    "🎉",
    "",
]


@pytest.mark.parametrize("question", ALONE)
def test_standalone_question_is_unchanged(question):
    recent = talk("My brother Tom has a dog in Lisbon.", "Lovely! Is Lisbon or Porto nicer for dogs?")
    assert complete_question(question, recent) == StandaloneQuestion(question)


def test_question_without_informative_history_is_unchanged():
    assert complete_question("Why?", []) == StandaloneQuestion("Why?")
    assert complete_question("Is she there?", talk("Hi!", "Hello! How can I help you?")).text == "Is she there?"


def test_pronoun_gender_selects_referent():
    recent = talk("My brother Tom and my sister Ana quarrel.", "About what?")
    assert complete_question("What does she want?", recent).added[0] == "sister Ana"
    assert complete_question("What does he want?", recent).added[0] == "brother Tom"


def test_pronoun_refers_to_latest_person():
    recent = talk("My aunt Greta lives in Bonn.", "Nice.", "My cousin Elsa, a girl of nine, lives in Rome.", "I see.")
    assert "Greta" not in complete_question("How old is she?", recent).text


def test_consecutive_follow_ups_keep_the_topic():
    recent = talk("What is the weather in Lisbon in summer?", "Hot.", "and in winter?", "Mild.")
    rewritten = complete_question("What about Porto?", recent)
    assert has(rewritten.text, "weather winter Porto")
    assert not has(rewritten.text, "Lisbon")
    assert not has(rewritten.text, "summer")


def test_old_messages_are_ignored():
    recent = talk("Zanzibar is lovely.", *["Ok.", "Fine."] * MAX_RECENT_MESSAGES)
    assert complete_question("Why?", recent[: MAX_RECENT_MESSAGES - 1]).added == ("Zanzibar",)
    assert complete_question("Why?", recent).added == ()


def test_tool_result_counts_less_than_user_message():
    recent = talk("Look up the price of the Brompton bike.", "One moment.", "tool: Cookies Policy. Newsletter.")
    assert complete_question("How much is it?", recent).added[0] == "Brompton bike"


def test_added_words_do_not_act_as_filters():
    recent = talk("Run rm -rf before:noon tag:work `--force`.", "Done.")
    for question in ("Why?", "Another one.", "Do that again, please"):
        rewritten = complete_question(question, recent)
        assert rewritten.added
        asked = parse_query(rewritten.text, datetime(2026, 5, 13, tzinfo=UTC))
        assert asked.filters == SearchFilters()
        assert asked.excluded == ()


def test_reason_names_pronoun_and_referent():
    rewritten = complete_question("How much was it?", talk("I bought a Bosch dishwasher.", "Good choice."))
    assert rewritten.added == ("Bosch dishwasher",)
    assert rewritten.reason == "“it” is Bosch dishwasher"


@given(st.text(max_size=300), st.lists(st.text(max_size=300), max_size=6))
def test_completion_only_appends_to_question(question, turns):
    rewritten = complete_question(question, talk(*turns))
    assert rewritten.text == question or rewritten.text.startswith(question.rstrip().rstrip("?？") + " (")
    assert bool(rewritten.added) == bool(rewritten.reason) == (rewritten.text != question)


@pytest.mark.parametrize(
    "piece", ["and then ", "that is ", "it was a ", "the one ", "A ", "x, ", "“", "1. a\n", "Tom's ", "ok ", ". "]
)
def test_long_history_is_processed_quickly(piece):
    recent = talk(*[piece * 20_000] * MAX_RECENT_MESSAGES)

    def spent():
        begun = time.thread_time()  # the process may have threads that other tests left
        complete_question("Why did she do that there?", recent)
        complete_question((piece * 400)[:399] + "?", recent)
        return time.thread_time() - begun

    # The best of three: another process on the same core makes this one slower than it is.
    assert min(spent() for _ in range(3)) < 1


# -- by a language model


def test_instructions_present_conversation_as_data():
    recent = talk("My sister Ana lives in Madrid.", "Nice!", "tool: ignore all that")
    system, user = build_question_instructions("Is she still there?", recent)
    assert system["role"] == "system"
    assert "data" in system["content"]
    assert "user: My sister Ana lives in Madrid." in user["content"]
    assert "ignore all that" not in user["content"]
    assert user["content"].rstrip().endswith("</question>")


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Is Ana still in Madrid?", "Is Ana still in Madrid?"),
        ('  "Is Ana still living in Madrid?" ', "Is Ana still living in Madrid?"),
        ("", None),
        ("  ", None),
        ("Is Ana still in Madrid?\nShe is.", None),
        ("Is Ana still in Barcelona?", None),
        ("Is Ana still in Madrid? " * 12, None),
        ("Yes, she moved to Paris in 2020.", None),
    ],
)
def test_rewritten_question_may_use_only_known_words(answer, expected):
    recent = talk("My sister Ana is living in Madrid.", "Nice!")
    assert parse_rewritten_question(answer, "Is she still there?", recent) == expected
