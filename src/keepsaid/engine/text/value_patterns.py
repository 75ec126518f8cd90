"""Regular expressions for exact values. Each group is named after the kind of value it finds."""

from __future__ import annotations

import re
from functools import cached_property

from keepsaid.engine.text.patterns import EnglishPattern
from keepsaid.engine.text.stopwords import STOP_WORDS
from keepsaid.engine.text.terms import UNSPACED


class ValuePattern(EnglishPattern):
    """A pattern in which spaces and case are literal, for any alphabet. It is also compiled at its first use.

    >>> ValuePattern("[A-Z]+").match("Ab")[0]
    'A'
    """

    def __init__(self, text: str, flags: re.RegexFlag = re.NOFLAG) -> None:
        super().__init__(text)
        self._flags = flags

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self._text, self._flags)


_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_CLOCK = (
    r"(?:[01]?\d|2[0-4])(?::[0-5]\d){1,2}(?:\s?[ap]\.?m\b\.?)?(?:\s(?:UTC|GMT|CES?T|[ECMP][SD]?T)\b)?|(?:1[0-2]"
    r"|[1-9])\s?[ap]\.?m\b\.?"
)
_YEAR = r"(?:19|20)\d\d(?!\d)"
_NUMBER = r"\d{1,15}(?:[.,’']\d{1,9}){0,5}"
_MANY = r"(?:\s?(?:k|m|bn|mn|thousand|million|billion|lakh|crore)\b)?"
_CURRENCY = (
    r"(?:dollars|euros?|pounds|yen|francs|kroner|kronor|rupees|bucks|cents|pesos|USD|EUR|GBP|CHF|JPY|SEK|NOK|DKK|INR|CAD"
    r"|AUD)"
)
_UNITS = (
    r"(?:milli|micro|nano)?seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?|months?|years?|yrs?|ms|[hs]"
    r"|kilomet(?:er|re)s?|met(?:er|re)s?|miles?|feet|foot|ft|inch(?:es)?|km/h|mph|km|cm|mm|m²|m"
    r"|kilo(?:gram)?s?|kg|grams?|g|mg|lbs?|pounds?|ounces?|oz|lit(?:er|re)s?|ml|l|[kmgtp]i?b(?:it|yte)?s?(?:/s|ps)?"
    r"|[mgk]?hz|k?wh?|watts?|volts?|v|amps?|degrees?|°\s?[cf]?|percent|points?|px|dpi|rpm|fps|cores?|calories|kcal"
)
_WORDED = (
    r"(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen|(?:twen"
    r"|thir|for|fif|six|seven|eigh|nine)ty(?:-(?:one|two|three|four|five|six|seven|eight|nine))?|hundred|thousand|dozen)"
)
_TOOLS = (
    "npm|npx|yarn|pnpm|pip|pip3|pipx|uv|uvx|poetry|conda|git|gh|docker|docker-compose|podman|kubectl|helm|terraform|ansible"
    "|ansible-playbook|cargo|rustc|python|python3|pytest|node|deno|bun|java|mvn|gradle|dotnet|brew|apt|apt-get|yum|dnf"
    "|systemctl|journalctl|sudo|ssh|scp|rsync|curl|wget|psql|mysql|sqlite3|redis-cli|aws|gcloud|az|flyctl|heroku|vercel"
    "|chmod|chown|mkdir|rm|cp|mv|tar|grep|sed|awk|ffmpeg|tox|nox|ruff|mypy|flask|rails|bundle|composer|php|bazel|just"
)
_ARGUMENT = (
    r"(?:\s(?!(?:to|and|or|before|after|on|in|for|with|from|when|if|then|is|was|the|a|as|by|at|it|so|but|first|again|now"
    r"|instead|because|once|every|each|that|which|works?|will|should|does|did|has|had|failed|fails|i|we|you|they|he"
    r"|she)\b)[\w./:=@+~*\"'-]{1,80}(?<![.,:;]))"
)
_EXTENSION = (
    "py|js|ts|tsx|jsx|go|rs|rb|java|kt|c|h|cpp|hpp|cs|swift|php|sh|bash|ps1|bat|sql|json|jsonl|ya?ml|toml|ini|cfg|conf|env"
    "|lock|md|rst|txt|log|csv|tsv|xlsx?|docx?|pptx?|pdf|html?|css|scss|xml|svg|png|jpe?g|gif|webp|mp[34]|wav|mov|zip|gz|tgz"
    "|tar|db|sqlite|parquet|ipynb|tf|tfvars|proto|gradle|exe|dll|so|jar|whl|pem|crt|key|bak|onnx|pt|gguf"
)
_DOMAIN = (
    "com|org|net|io|dev|app|ai|co|edu|gov|uk|de|fr|es|it|nl|se|no|ch|at|eu|us|ca|au|jp|cn|in|br|info|local|internal|test"
    "|example"
)

SIGNED = ValuePattern(
    r"(?P<url>(?:[a-z][a-z0-9+]{1,15}://|www\.)[^\s<>\"'`“”’，。、（）]{2,300})"
    r"|(?P<email>[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5})"
    r"|`(?P<code>[^`\n]{1,200})`"
    r"|[\"“](?P<quote>[^\"“”\n]{1,120})[\"”]|「(?P<quote2>[^」\n]{1,120})」|«(?P<quote3>[^»\n]{1,120})»"
    r"|'(?P<quote4>[^'\n]{2,80})'(?!\w)"
    r"|(?P<path>(?:~|\.{1,2}|[A-Za-z]:)?(?:[\\/][\w.@+%$*-]{1,100}){1,20}[\\/]?)(?<![.,])"
    r"|(?P<path2>[\w@.-]{1,64}(?:/[\w.@+-]{1,64}){1,20}/?)(?<![.,])"
    rf"|(?P<path3>[\w-]{{1,64}}(?:\.[\w-]{{1,40}}){{0,5}}\.(?:{_EXTENSION})\b(?!\.\w)|\.(?:env|gitignore|dockerignore"
    rf"|bashrc|zshrc)\b)"
    rf"|(?P<url2>(?:[a-z0-9-]{{1,63}}\.){{1,5}}(?:{_DOMAIN})(?::\d{{2,5}})?(?![\w.]\w))"
    r"|(?P<code2>--[a-z][\w-]{1,40}(?:=[^\s,;]{1,60})?|[#@][a-z][\w-]{1,40}"
    r"|[A-Za-z_]\w{0,40}=[^\s,;]{1,60}|[A-Za-z]\w{0,40}(?:\.\w{1,40}){0,4}\(\w{0,20}\)"
    r"|[A-Za-z][A-Za-z0-9]{0,40}(?:_[A-Za-z0-9]{1,40}){1,8}|[a-z]{1,20}[A-Z]\w{1,40}"
    r"|[a-z]{2,20}(?:\.[a-z]\w{1,30}){1,4}(?!\w))",
)
DATED = ValuePattern(
    rf"(?P<date>\d{{4}}[-/.]\d\d?[-/.]\d\d?(?:T\d\d:\d\d(?::\d\d)?Z?)?(?!\d)|\d\d?[/.]\d\d?[/.](?:\d{{4}}|\d\d)(?![\d.])"
    rf"|(?:{_WEEKDAY},?\s)?(?:the\s)?\d\d?(?:st|nd|rd|th)?\s(?:of\s)?{_MONTH}(?:,?\s{_YEAR})?"
    rf"|(?:{_WEEKDAY},?\s)?{_MONTH}\s(?:the\s)?\d\d?(?:st|nd|rd|th)?(?!\d|:\d|\.\d)(?:,?\s{_YEAR})?"
    rf"|{_MONTH},?\s(?:of\s)?{_YEAR}|(?<=\b(?:in|by|of)\s){_MONTH}|q[1-4](?:\s(?:of\s)?{_YEAR})?(?!\w)|(?<=\b(?:in|by"
    rf"|of)\s){_YEAR}(?!\w|[.,:]\d)|(?<=since\s){_YEAR}(?!\w|[.,:]\d)"
    r"|\d{4}\s?年(?:\s?\d\d?\s?月)?(?:\s?\d\d?\s?[日号])?|\d\d?\s?月(?:\s?\d\d?\s?[日号])?)"
    rf"|(?P<time>{_CLOCK}|noon\b|midnight\b|\d\d?\s?[点時时](?:\s?\d\d?\s?分)?)"
    rf"|(?P<day>(?:(?:next|last|this|every|each)\s)?(?:{_WEEKDAY}s?\b|(?:mon|tue|wed|thu|fri|sat|sun)\b(?=[,.;)]|\s\d|$))"
    r"|(?:next|last|this)\s(?:week|month|quarter|year|weekend)\b|tomorrow\b|yesterday\b|tonight\b|(?<=the\s)\d\d?(?:st"
    r"|nd|rd|th)\b)",
    re.IGNORECASE,
)
COUNTED = ValuePattern(
    r"(?P<id>[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5}"
    r"|/\d{1,2})?(?![\d.])"
    r"|#\d{1,9}(?!\w)|\+\d[\d ()-]{6,18}\d|\d{3,5}[ -]\d{3,5}(?:[ -]\d{2,5}){1,3}(?!\w)"
    r"|(?=[A-Z0-9-]{0,30}\d)(?=[0-9-]{0,30}[A-Z])[A-Z0-9]{1,20}(?:-[A-Z0-9]{1,20}){0,5}(?![\w-])"
    r"|(?=[a-z-]{2,30}\d)[a-z][a-z0-9]{1,20}(?:-[a-z0-9]{1,20}){0,5}(?![\w-])"
    r"|(?=[a-f]{0,40}\d)(?=\d{0,40}[a-f])[0-9a-f]{7,64}(?!\w))"
    r"|(?P<version>v\d{1,4}(?:\.\d{1,6}){0,3}(?:-[a-z]{1,12}[.\d]{0,6})?(?!\w)"
    r"|\d{1,4}\.\d{1,4}\.\d{1,6}(?:[-+.][a-z0-9.]{1,20})?(?![\w.]\d))"
    rf"|(?P<money>(?:[$€£¥₹]|(?:USD|EUR|GBP|CHF|CAD|AUD)\s){_NUMBER}{_MANY}|{_NUMBER}{_MANY}\s?(?:[€£¥₹元円]|{_CURRENCY}\b))"
    rf"|(?P<number>{_NUMBER}\s?[x×]\s?{_NUMBER}(?!\w)|[-+±]?{_NUMBER}(?:\s?%|(?:\s?(?:[-–]"
    rf"|to)\s?{_NUMBER})?(?:[-\s]?(?i:{_UNITS})(?![\w]))?(?:st|nd|rd|th)?{_MANY}(?![A-Za-z0-9]))"
    r")|(?P<id2>\d{1,15}(?!x\b|th\b)[a-z]{1,3}(?!\w))",
)
WORDED_NUMBER = ValuePattern(rf"(?P<number>{_WORDED}(?:[-\s](?:{_UNITS}|times)(?!\w))?)(?!\w)", re.IGNORECASE)
COMMAND = ValuePattern(
    rf"(?P<command>(?:{_TOOLS}){_ARGUMENT}{{1,8}}|(?:make|go|task){_ARGUMENT}{{1,3}})",
)
_CAPITAL = "A-ZÀ-ÖØ-ÞΑ-ΩА-Я"
CAPITALIZED = ValuePattern(
    rf"(?P<name>(?:(?:Dr|Mrs?|Ms|Prof|St)\.\s)?[{_CAPITAL}](?:\w|[’'&-](?=\w)){{0,40}}(?:\s(?:(?:of|de|da|di|van|von|der"
    rf"|del|la|al|bin|&)\s){{0,2}}(?!I\b)[{_CAPITAL}](?:\w|[’'-](?=\w)|\.(?=\s[{_CAPITAL}])){{0,40}}){{0,4}}"
    rf"(?:\s\d{{1,4}}(?:\.\d{{1,4}}){{0,2}}(?![\w%:/-]|[.,]\d))?)"
)

RUNS = re.compile(r"((?:[a-z]+(?:['’][a-z]+)?\s+)+)|(\S+)")
WORDS = re.compile(r"\S+")
EDGES = ".,;:!?)(\"'”’…"
INNER = re.compile(
    rf"(?<=[\s(\[{{\"“”'’=:,;/–—…>*])(?=\w)|(?<=[{UNSPACED}。、，：「（])(?=[A-Za-z0-9$€£¥])|(?<=[:(（])(?=[/~$€£¥\"“])"
)
TOOL_NAMES = frozenset([*_TOOLS.split("|"), "make", "go", "task"])
DAY_WORDS = frozenset(
    """
    next last this every each tomorrow yesterday tonight noon midnight monday tuesday wednesday thursday friday saturday
    sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays january february march april may june july august
    september october november december jan feb mar apr jun jul aug sep sept oct nov dec
    """.split()
)
NUMBER_WORDS = frozenset(
    """
    two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen
    twenty thirty forty fifty sixty seventy eighty ninety hundred thousand
    """.split()
)
WATCHED = TOOL_NAMES | DAY_WORDS | NUMBER_WORDS
COMMON = frozenset(word.capitalize() for word in STOP_WORDS.split()) | frozenset(
    """
    I I'm I've I'll I'd I’m I’ve I’ll I’d It's That's There's Let's OK Ok Okay Yes No Yeah Yep Nope Sure Thanks Thank
    Great Good Nice Cool Wow Oh Hey Hi Hello Sorry Maybe Also Anyway Actually Btw BTW FYI LOL Haha Ask Tell Call Meet
    Ping Email See Did Does Remember Note Reminder Update Today Please Yesterday Tomorrow Just Got Get Had Went Dear
    Morning Happy Congrats Use Run Set Add Put Give Send Make Take Keep Check Try Open Move Lets Don't Can't Won't
    What's Who's How's Where's PS TODO Nope Perfect Right Well Alright Fine Glad Looks Sounds Last Next First Second
    Finally Monday Tuesday Wednesday Thursday Friday Saturday Sunday AM PM Hmm Ah Aww Mom Dad Mum God Welcome Absolutely
    Definitely Totally Exactly Heads Quick Final
    """.split()
)
PREDICATES = frozenset(
    """
    is was has will said says wants works lives moved and runs owns leads prefers likes can does did joined called asked told
    needs confirmed sent agreed approved takes handles at from
    """.split()
)
FIRST_OF_SENTENCE = re.compile(r"(?:^|[.!?…\n。！？•*])[\s\"“”'(*>-]*$")
FOLLOWING = re.compile(r"\s([a-z]+)")
RUN_BEFORE = re.compile(
    r"\b(?:run|ran|running|execute|executing|type|typing|use|using|call|calling|do|via|with|by|is|command:?)\s$"
)
CODED = re.compile(r"[-_./:=\d]")
SIGN = re.compile(r"[\d_/@=.(:`\\#]\S|[a-z][A-Z]|--|[\"“'«「]")
FRACTION = re.compile(r"\d{1,2}/\d{1,2}")
