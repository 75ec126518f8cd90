"""Turkish."""

from __future__ import annotations

from keepsaid.engine.languages.table import DateWords, LanguageTable

TURKISH = LanguageTable(
    code="tr",
    stemmer="turkish",
    stop_words="""
        bir bu şu o bunu şunu onu bunun şunun onun buna şuna ona bunda şunda onda bundan şundan ondan bunlar şunlar
        onlar
        ben beni bana bende benden benim biz bizi bize bizde bizden bizim sen seni sana sende senden senin siz sizi size
        sizin onları onlara onların kendi kendim kendine kendisi
        kim kimi kime kimin ne neyi neye neden niye niçin nasıl nerede nereye nereden nere hangi hangisi kaç ne kadar
        mi mı mu mü miyim mıyım misin mısın musun müsün
        var yok değil idi imiş ise iken olan olarak olduğu oldu olur olsun olmak oluyor olacak etti ediyor eder etmek
        ve veya ya da de ki ile için gibi kadar göre karşı doğru dolayı beri önce sonra üzere rağmen hakkında arasında
        içinde
        üzerinde
        ama fakat ancak lakin çünkü eğer hem yani madem
        hiç hep her herkes bazı birkaç biraz çok daha en az fazla tüm bütün sadece yalnız bile artık hâlâ henüz şimdi
        zaten tabii evet hayır öyle böyle şöyle orada burada şurada oraya buraya burası orası
        lütfen teşekkürler teşekkür ederim merhaba selam tamam ok şey biri birisi başka diğer aynı
    """,
    cues="""
        ay önce
        belki bazen
        kardeşim eşim baba oturuyor çalışıyor yaşıyor
        bugün dün yarın yıl gün hafta kez defa geçen gelecek güzel iyi dedi diye bence sanırım istiyorum lazım iki
        üç dört
        saat annem babam kızım oğlum
    """,
    letters="ğışİ",
    first_person="""
        ben beni bana bende benden benim biz bizi bize bizde bizden bizim kendim annem babam kardeşim eşim oğlum kızım
    """,
    first_person_pattern=r"\b\w{2,}(?:yorum|d[ıiuü]m|t[ıiuü]m|m[ıiuü]ş[ıiuü]m|aca[ğg][ıi]m|ece[ğg]im|yoruz|d[ıiuü]k|[ıiuü]m[ıiuü]z)\b",
    questions={
        "how_many": "kaç, ne kadar, ne sıklıkla, kaç yaşında",
        "when": "ne zaman, hangi gün, hangi yıl, saat kaçta",
        "where": "nerede, nerde, nereye, nereden, nerden, neresi",
        "why": "neden, niye, niçin",
        "who": "kim, kimi, kime, kimin, kiminle, kimden",
        "which": "hangi, hangisi",
        "how": "nasıl",
        "what": "ne, neyi, neye, neler",
    },
    requests="biliyor musun, hatırlıyor musun, söyler misin, hatırlat, söyle, anlat, göster",
    question_endings="mi, mı, mu, mü, misin, mısın, musun, müsün, miyim, mıyım, muyum, müyüm, miydi, mıydı",
    dates=DateWords(
        days={"evvelsi gün|önceki gün": -2, "dün": -1, "bugün": 0, "öbür gün": 2, "yarın": 1},
        which=(r"geçen|geçtiğimiz|önceki", r"bu", r"gelecek|önümüzdeki|haftaya"),
        units={"day": "gün", "week": "hafta", "weekend": "hafta sonu", "month": "ay", "year": "yıl|sene"},
        weekdays=("pazartesi", "salı", "çarşamba", "perşembe", "cuma(?!rtesi)", "cumartesi", "pazar(?!tesi)"),
        months=(
            "ocak",
            "şubat",
            "mart",
            "nisan",
            "mayıs",
            "haziran",
            "temmuz",
            "ağustos",
            "eylül",
            "ekim",
            "kasım",
            "aralık",
        ),
        numbers={
            "bir": 1,
            "iki": 2,
            "üç": 3,
            "dört": 4,
            "beş": 5,
            "altı": 6,
            "yedi": 7,
            "sekiz": 8,
            "dokuz": 9,
            "on": 10,
            "birkaç": 0,
        },
        ago=("{n} {unit} önce",),
        ahead=("{n} {unit} sonra",),
        month_ending=r"['’]?[td][ae](?:n|ki)?|\s+ayında",
        year_words="yılında|yılı|senesinde",
    ),
)
