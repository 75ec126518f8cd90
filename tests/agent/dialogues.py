"""Dialogues of ordinary life without a language model: what was said, each in a conversation of its own, what is then asked
in a new one, and what the answer must and must not have.

`|` parts several; what is in angle brackets is in the first quote, and an exclamation mark stands for the words that
something is saved.
"""

from typing import NamedTuple


class Dialogue(NamedTuple):
    said: str
    asked: str
    has: str = ""
    lacks: str = ""


FIRST = [
    # -- what has changed
    Dialogue("I live in Oslo.|I've just moved from Oslo to Trondheim.", "where do I live?", "<Trondheim>|Oslo"),
    Dialogue("I work at a bakery.|I quit the bakery and now work at the city library.", "Where do I work?", "<library>"),
    Dialogue("My boss is Anna.|My boss is Peter now.", "Who is my boss?", "<Peter>|Anna"),
    Dialogue("My phone number is 555 1234.|My new phone number is 555 9876.", "what's my phone number", "<9876>"),
    Dialogue("My favourite band is Muse.|My favourite band is Air now.", "What is my favourite band?", "<Air>"),
    Dialogue("I am single.|Tom and I got married last week.", "Am I married?", "got married"),
    Dialogue("Our rent is 900 euros.|Our rent is 1050 euros from now on.", "How much is our rent?", "<1050>"),
    # -- plain questions
    Dialogue("My sister Nora moved to Lisbon.|I bought a lamp.", "Where is my sister?", "Lisbon", "lamp"),
    Dialogue(
        "We have two kids, Emil who is 6 and Saga who is 9.|I drive an old Volvo.", "How old are my kids?", "Saga", "Volvo"
    ),
    Dialogue("My hamster is called Nibbles.", "what is the name of my hamster", "Nibbles", "Saved"),
    Dialogue("I am allergic to penicillin.", "Which medicine am I allergic to?", "penicillin"),
    Dialogue("The wifi password is tangerine42.", "what was the wifi password again", "tangerine42"),
    Dialogue("I don't like olives.|I like jazz.", "What food don't I like?", "olives"),
    Dialogue("My dentist appointment is on 4 June at nine.", "When is my dentist appointment?", "4 June"),
    Dialogue("I parked the car on level 3.", "Where did I park?", "level 3"),
    Dialogue("Grandma's birthday is on 3 December.", "When's grandma's birthday?", "3 December"),
    Dialogue("I take my coffee black.", "How do I take my coffee?", "black"),
    Dialogue("My shoe size is 43.", "What is my shoe size?", "43"),
    Dialogue("Ben owes me 40 euros.", "How much does Ben owe me?", "40 euros"),
    Dialogue("The plumber comes on Friday at eight.", "When does the plumber come?", "Friday"),
    Dialogue("I lent my drill to Marek.", "Who has my drill?", "Marek"),
    Dialogue("The spare key is under the blue pot.", "where is the spare key", "blue pot"),
    Dialogue("My daughter's teacher is Mrs Lind.", "Who is my daughter's teacher?", "Mrs Lind"),
    Dialogue("I read The Trial in March and loved it.", "Did I like The Trial?", "loved it"),
    Dialogue(
        "I take vitamin D every morning.|I think the new film is bad.", "Which vitamin do I take?", "vitamin D", "film"
    ),
    # -- nothing is known
    Dialogue("My sister moved to Lisbon.", "What is the capital of France?", "nothing about that", "Lisbon"),
    Dialogue("I like jazz.", "When is my flight?", "nothing about that", "jazz"),
    Dialogue("", "What is my name?", "nothing about that"),
    Dialogue("what is the name of my hamster", "What is the name of my hamster?", "nothing about that", "what is the name"),
    Dialogue("where do I keep the passports", "Where are the passports?", "nothing about that", "where do I keep"),
    Dialogue("Tell me about my cousin", "How is my cousin?", "nothing about that", "Tell me"),
    # -- statements
    Dialogue("", "We have two kids, Emil who is 6 and Saga who is 9.", "!", "nothing"),
    Dialogue("", "That is why I left.", "!", "nothing"),
    Dialogue("", "When I was a child we lived in Turku.", "!", "nothing"),
    Dialogue("", "What a day! The train was two hours late.", "!", "nothing"),
    Dialogue("", "I know where the keys are.", "!", "nothing"),
    Dialogue("", "Remind me to call the bank tomorrow.", "!", "nothing"),
    Dialogue("", "Did the dishes and went to bed.", "!", "nothing"),
    Dialogue("", "My neighbour, whose dog barks all night, moved out.", "!", "nothing"),
    Dialogue("", "How lovely it was to see Anna again.", "!", "nothing"),
    Dialogue("", "Don't remember this: I am planning to resign.", "beyond this conversation", "nothing about|Saved"),
    Dialogue("My brother plays chess.", "My aunt plays the cello.", "!", "related|chess"),
    Dialogue("Nora is allergic to hazelnuts.", "I am baking a cake for Nora.", "!|may be related|hazelnuts"),
    Dialogue(
        "The kitchen offer from Holm is 11400 euros.", "The kitchen offer arrived in the post.", "!|may be related|11400"
    ),
    Dialogue("I went to the market.", "I went to bed early.", "!", "related|market"),
    # -- requests without a question mark, other languages
    Dialogue("My sister Nora moved to Lisbon.", "tell me where my sister lives", "Lisbon", "Saved"),
    Dialogue("The gym code is 7788.", "remind me of the gym code", "7788", "Saved"),
    Dialogue("Meine Schwester wohnt in Bremen.", "wo wohnt meine Schwester?", "Bremen", "Saved"),
    Dialogue("Mi hermana vive en Sevilla.", "¿Dónde vive mi hermana?", "Sevilla", "Saved"),
    Dialogue("私の妹は大阪に住んでいます。", "妹はどこに住んでいますか？", "大阪", "Saved"),
    Dialogue("Ma voiture est une Clio verte.", "Quelle est ma voiture ?", "Clio", "Saved"),
    # -- broad questions
    Dialogue("I live in Oslo.|I am a nurse.", "what do you know about me?", "Oslo|nurse|you live", "User"),
    Dialogue("I am a nurse.", "who am I?", "nurse"),
    Dialogue("", "What do you know about me?", "know nothing about you"),
    Dialogue("I bought a bike.|What is a derailleur?", "What did I tell you today?", "bike", "derailleur"),
    Dialogue("I bought a bike.", "what did we talk about this month?", "bike"),
    Dialogue("I bought a bike.", "What did we talk about in 2019?", "nothing from that time", "bike"),
    Dialogue("My sister Nora moved to Lisbon.|I like jazz.", "Tell me about my family", "Lisbon", "jazz"),
    Dialogue("My dog Rex hates rain.|I am a nurse.", "Tell me about my pets.", "Rex", "nurse"),
    Dialogue("I live in Oslo.|I bought a bike.", "List everything I told you", "Oslo|bike"),
    Dialogue("I live in Oslo.|I bought a bike.", "summarize our conversations", "Oslo|bike"),
    # -- names
    Dialogue("My sister is called Nora.|Nora has taken up rowing.", "What sport does my sister do?", "rowing"),
    Dialogue("My brother Ben is a pilot.|My brother lives in Graz.", "Where does Ben live?", "Graz"),
]


SECOND = [
    # -- written afterwards, to see how well the rest holds
    Dialogue("My cat is called Miso.|Miso only eats tuna.", "what does my cat eat?", "tuna"),
    Dialogue("I used to swim on Mondays.|I swim on Thursdays now.", "When do I swim?", "<Thursdays>"),
    Dialogue("My landlord is Mr Berg.", "who's my landlord", "Berg", "Saved"),
    Dialogue("Our anniversary is on 14 September.", "Do you remember when our anniversary is", "14 September", "Saved"),
    Dialogue("I paid the electricity bill on Tuesday.", "Did I pay the electricity bill?", "Tuesday"),
    Dialogue("The garage code changed to 9021.|The old garage door squeaks.", "what is the garage code?", "9021"),
    Dialogue("I have a cousin in Malmö.", "Where I grew up there was no cinema.", "!", "nothing|Malmö"),
    Dialogue("", "Whoever finds my umbrella can keep it.", "!", "nothing"),
    Dialogue("", "Is it me or was the soup cold?", "nothing about that"),
    Dialogue("Lena wants to learn the violin.", "What instrument does Lena want to learn?", "violin"),
    Dialogue("I hate mushrooms.|We had a great party.", "which foods do I hate", "mushrooms", "party"),
    Dialogue("My son Jonas is afraid of spiders.|My daughter is 12.", "Tell me something about my children.", "spiders|12"),
    Dialogue("I finished my thesis.|I adopted a kitten.", "what happened this week?", "thesis|kitten"),
    Dialogue("I study law in Leuven.|I am 23 years old.", "Tell me everything you know about me.", "law|23", "User"),
    Dialogue("Mój brat mieszka w Krakowie.", "gdzie mieszka mój brat?", "Krakowie", "Saved"),
    Dialogue("Jim has the tickets for the concert.", "Who has the concert tickets?", "Jim"),
    Dialogue("My doctor is Dr. Hale.|I see a new doctor now: my doctor is Dr. Moss.", "Who is my doctor?", "<Moss>"),
    Dialogue("We are flying to Crete on 2 July.", "The flight to Crete takes three hours.", "!|may be related|2 July"),
    Dialogue("I bought stamps.", "please forget that I ever said that", "", "nothing"),
    Dialogue("how tall is the Eiffel tower", "how tall is the eiffel tower", "nothing about that", "how tall"),
]
