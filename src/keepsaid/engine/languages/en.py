"""English."""

from __future__ import annotations

from keepsaid.engine.languages.table import LanguageTable

STOP_WORDS = """
    a an the this that these those there here
    i me my mine myself we us our ours ourselves you your yours yourself yourselves
    he him his himself she her hers herself it its itself they them their theirs themselves
    one someone somebody something anyone anybody anything everyone everybody everything
    who whom whose which what when where why how whether
    am is are was were be been being do does did doing done have has had having
    can could will would shall should might must ought
    of at by for with about against between into through during to from in on onto off out over under above below up down
    upon within without toward towards among around
    and or but nor if then else so because as than while though although until since
    not no yes any some such both each either neither other another own same
    all only also too very just even ever still yet again already quite rather really
    now once more most much many few
    please let lets ok okay well oh hi hello hey
    s t m d ll ve re don doesn didn isn aren wasn weren hasn haven hadn wouldn couldn shouldn ain mustn needn
    whats wheres whos hows im ive id
"""

ENGLISH = LanguageTable(
    code="en",
    stemmer="english",
    stop_words=STOP_WORDS,
    cues="""
        get got go going went know think like want need make made see say said time day new good back today yesterday
        thanks thank last year years first people really never always maybe lol yeah nice love
        sister brother mother father mom dad daughter wife husband lives works
    """,
    lookalikes="""
        van met men man hat war art bin dig min mina per pour son ton sans era sea hem ten tot den gut her once sur
        die kind rate fast as use under till ben fan hen win par sin come dove sole data dice fare some ha ho sir
        hun bar fur ale pod pan mal sent tale vale hay dos mes pie side tell la mas car plus cent ah eh uh hm hmm mm
        le non et al etc pro ai ni size sam nas state com da solo af word due far co net hit soy las ca los falls
        les heel ed ya font door pendant uber vet bent ins mia logo biz quest gore manga con allen favor comment
        gang chose wilt doe sim kim erg deed tar sue meme memes dan seine dies lat avant petite gun dell lo tan jo
        bon ma pa na fa um li mi bad
    """,
    first_person="i me my mine myself we us our ours ourselves im ive",
)
