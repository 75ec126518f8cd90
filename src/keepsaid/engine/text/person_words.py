"""Words for people, and the pronouns that refer to them."""

from __future__ import annotations

from typing import Literal

PersonPronoun = Literal["he", "she", "any", ""]
"""Pronoun for a person: "any" if the word does not determine it, "" if it is not a person."""

_SHE = """
    sister mother mom mum mummy mommy mama grandma grandmother granny daughter wife aunt auntie niece girlfriend girl woman
    lady queen mrs ms miss madam actress waitress bride stepmother stepsister godmother sister-in-law mother-in-law
    daughter-in-law ex-wife fiancee abigail agnes aisha alexandra alice alicia alison amanda amelia amy ana andrea angela
    anita anja anna anne annie audrey aya barbara beatrice becky beth betty brenda bridget camila carla carmen carol
    caroline catherine charlotte chiara chloe christina christine claire clara claudia cynthia daisy danielle debbie deborah
    denise diana donna dorothy eleanor elena elisa elizabeth ella ellen emily emma erica esther eva evelyn fatima fiona
    florence frances gabriela gina giulia grace greta hannah heather heidi helen helena ida ines ingrid irene iris isabel
    isabella ivy jane janet jasmine jean jenna jennifer jenny jessica joan joanna jolene josephine joyce judith judy julia
    julie karen kate katherine kathy katie keiko kelly kim laila lara laura lauren layla leila lena lily linda lisa lola
    lorena louise lucia lucy luisa lydia maggie maria marie marta martha mary maya megan mei melanie melissa mia michelle
    mila mina miriam molly monica nadia nancy naomi natalie natasha nicole nina nora olga olivia pamela patricia paula penny
    petra priya rachel rebecca renata rita rosa rose ruth sabrina sally sandra sara sarah silvia simone sofia sonia sophia
    sophie stella stephanie susan susanna sylvia tamara tanya tara teresa theresa tina ursula valentina valerie vanessa vera
    veronica victoria virginia wendy yasmin yuki yuko zoe
"""
_HE = """
    brother father dad daddy papa grandpa grandfather granddad son husband uncle nephew boyfriend boy man guy gentleman king
    mr sir actor waiter groom stepfather stepbrother godfather brother-in-law father-in-law son-in-law ex-husband fiance
    aaron abdul adam adrian ahmed alan albert alejandro alexander alfred ali andre andreas andrew anthony antonio arthur ben
    benjamin bernard bill bob boris brandon brian bruno calvin carl carlos charles chen christian christopher colin connor
    daniel dave david dennis derek diego dmitri dominic donald douglas dylan edgar eduardo edward emil eric erik ethan evan
    felix fernando francis frank fred frederick gabriel gary george gerald giovanni graham greg gregory gustav hans harold
    harry hassan henry hiroshi howard hugo ian ibrahim igor isaac ivan jack jacob jake james jason javier jeff jeffrey
    jeremy jerome jim joe joel johan john jon jonas jonathan jose joseph josh joshua juan julian justin karl keith ken kenji
    kenneth kevin kurt kyle lars lawrence leo leonard liam lorenzo louis luca lucas luis luke luka magnus manuel marc marco
    marcus mario mark martin mateo matt matthew max michael miguel mike mohammed nate nathan nathaniel neil nicholas nick
    nikolai noah oliver omar oscar otto owen pablo patrick paul pedro peter philip pierre rafael rahul raj ralph ravi ray
    raymond ricardo richard robert roberto rodrigo roger roland ronald ryan samuel scott sean sebastian sergei simon stefan
    stephen steve steven stuart sven ted theo theodore thomas tim timothy tobias todd tom tomas tony victor vincent vladimir
    walter wei william xavier yusuf zachary
"""
_ANY = """
    doctor dr prof professor teacher boss manager colleague coworker co-worker friend neighbor neighbour cousin child kid
    baby toddler partner spouse parent grandparent sibling twin therapist dentist nurse surgeon physician vet lawyer
    attorney accountant coach trainer tutor mentor student classmate roommate flatmate landlord landlady tenant client
    customer director president ceo cto engineer developer designer author writer singer artist painter actor musician chef
    driver plumber electrician mechanic contractor assistant secretary guest host player captain candidate recruiter
    interviewer intern officer agent guide stranger person somebody someone alex sam chris jordan taylor pat robin casey
    jamie morgan charlie lee riley avery quinn andy terry jo
"""
_PLACES = frozenset("in at to from near around towards toward via through into outside inside".split())

_PEOPLE: dict[str, PersonPronoun] = {
    **dict.fromkeys(_ANY.split(), "any"),
    **dict.fromkeys(_HE.split(), "he"),
    **dict.fromkeys(_SHE.split(), "she"),
}
_PETS = frozenset("pet dog puppy cat kitten horse pony rabbit hamster parrot bird".split())
_MANY = frozenset("people children men women parents kids folks guys family team couple everyone".split())


def find_person_pronoun(word: str) -> PersonPronoun:
    """Return the pronoun for a lower-case word if it is a word for a person, else "".

    >>> find_person_pronoun("sister"), find_person_pronoun("tom"), find_person_pronoun("doctor"), find_person_pronoun("sofa")
    ('she', 'he', 'any', '')
    """
    return _PEOPLE.get(word, "")


def are_people(word: str) -> bool:
    """Whether a lower-case word means several people: "parents", "brothers".

    >>> are_people("parents"), are_people("sisters"), are_people("sofas")
    (True, True, False)
    """
    return word in _MANY or (word.endswith("s") and find_person_pronoun(word[:-1]) != "")


def is_pet(word: str) -> bool:
    """Whether a lower-case word is an animal that people refer to by "he" or "she".

    >>> is_pet("cat"), is_pet("sofa")
    (True, False)
    """
    return word in _PETS


def leads_to_a_place(word: str) -> bool:
    """Whether the word after this lower-case word is likely a place.

    >>> leads_to_a_place("in"), leads_to_a_place("about")
    (True, False)
    """
    return word in _PLACES
