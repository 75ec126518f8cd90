"""Turkish."""

from __future__ import annotations

from keepsaid.engine.facts.other_languages.table import PhraseTable

PEOPLE = (
    r"((kız |erkek |üvey )?kardeşim*|kardeşlerim*|ablam*|abim*|ağabeyim*|annem*|babam*|anneciğim*|ebeveynlerim*"
    r"|kızım*|oğlum*|çocuğum*|çocuklarım*|bebeğim*|eşim*|karım*|kocam*|sevgilim*|nişanlım*|partnerim*"
    r"|erkek arkadaşım*|kız arkadaşım*|eski eşim*|anneannem*|babaannem*|dedem*|ninem*|torunum*|torunlarım*|teyzem*"
    r"|halam*|dayım*|amcam*|kuzenim*|yeğenim*|yeğenlerim*|kayınvalidem*|kaynanam*|kayınpederim*|kayınbiraderim*"
    r"|baldızım*|görümcem*|eltim*|damadım*|gelinim*|arkadaşım*|dostum*|iş arkadaşım*|komşum*|patronum*|müdürüm*"
    r"|ev arkadaşım*|ikizlerim*|ailem*|annemle|annemiz*|babamız*|kızımız*|oğlumuz*|çocuğumuz*|çocuklarımız*"
    r"|bebeğimiz*|torunumuz*)"
)
PETS = (
    r"(köpeğim*|köpeğimiz*|köpeklerim*|kedim*|kedimiz*|kedilerim*|atım|atımız*|tavşanım*|tavşanımız*|hamsterım*"
    r"|kuşum*|kuşumuz*|muhabbet kuşum*|papağanım*|kaplumbağam*|kaplumbağamız*|balığım*|balıklarım*|yavru köpeğim*)"
)
ILL = (
    r"(alerji*|alerjik|intolerans*|çölyak*|astım*|diyabet*|şeker hastas*|şekerim|migren*|epilepsi*|sara"
    r"|yüksek tansiyon*|tansiyon hastas*|tansiyonum|romatizma*|kireçlenme*|depresyon*|anksiyete*|panik atak*|dehb"
    r"|otizm*|otistik|disleksi*|disleksik|kulak çınlama*|yükseklik korku*|uçak korku*|fobi\w*|klostrofobi*"
    r"|kapalı alan korku*|fıtı[kğ]*|bel fıtığ*|kalp pili*|kalp hasta*|tiroid*|guatr*|kanser*|ms hasta*|hamile*|gebe*"
    r"|işitme cihaz*|tekerlekli sandalye*|diyaliz*|görme engel*|işitme engel*|sağır*|kör|renk kör*|laktoz*|gluten*"
    r"|insülin*|reflü*|gastrit*|egzama*|sedef*|uykusuzluk*|araba tut*|deniz tut*|vertigo*|endometriozis)"
)
JOBS = (
    r"(öğretmen\w*|doktor\w*|hemşire\w*|ebe\w*|mühendis\w*|mimar\w*|avukat\w*|yazılımcı\w*|programcı\w*"
    r"|geliştirici\w*|tasarımcı\w*|grafiker\w*|öğrenci\w*|gazeteci\w*|yazar\w*|çevirmen\w*|tercüman\w*|fotoğrafçı\w*"
    r"|müzisyen\w*|oyuncu\w*|aşçı\w*|şef\w*|garson\w*|fırıncı\w*|pastacı\w*|kuaför\w*|berber\w*|elektrikçi\w*"
    r"|tesisatçı\w*|tamirci\w*|marangoz\w*|çiftçi\w*|polis\w*|itfaiyeci\w*|asker\w*|subay\w*|şoför\w*|taksici\w*"
    r"|kaptan\w*|pilot\w*|hostes\w*|veteriner\w*|eczacı\w*|diş hekimi\w*|dişçi\w*|psikolog\w*|fizyoterapist\w*"
    r"|biyolog\w*|kimyager\w*|fizikçi\w*|araştırmacı\w*|akademisyen\w*|memur\w*|sekreter\w*|muhasebeci\w*"
    r"|danışman\w*|ekonomist\w*|satıcı\w*|esnaf\w*|girişimci\w*|serbest çalış\w*|freelance*|emekli\w*|işsiz\w*"
    r"|kütüphaneci\w*|stajyer\w*|asistan\w*|müdür\w*|yönetici\w*|rehber\w*|eğitmen\w*|antrenör\w*|teknisyen\w*"
    r"|kasiyer\w*|kurye\w*|ev hanımı\w*|terzi\w*|bankacı\w*|sigortacı\w*|emlakçı\w*|analist\w*|editör\w*|savcı\w*"
    r"|hakim\w*|imam\w*|çarkçıbaşı\w*|denizci\w*|diyetisyen\w*)"
)
THINGS = (
    r"(araba\w*|otomobil\w*|motosiklet\w*|motor\w*|scooter\w*|bisiklet\w*|karavan\w*|ev\w{0,4}|daire\w*|bahçe\w*"
    r"|tarla\w*|yazlı\w+|arsa\w*|gitar\w*|piyano\w*|keman\w*|bağlama\w*|saz\w{0,3}|davul\w*|ud\w{0,2}|ney"
    r"|akordeon\w*|kamera\w*|fotoğraf makine\w*|laptop\w*|dizüstü\w*|bilgisayar\w*|mac\w*|yazıcı\w*|tekne\w*"
    r"|yelkenli\w*|atölye\w*|dükkân\w*|dükkan\w*|şirket\w*|iphone\w*|telefon\w*|android\w*|linux\w*|tablet\w*"
    r"|ipad\w*|konsol\w*|playstation\w*|blog\w*|podcast\w*|kanal\w*|koleksiyon\w*|tofaş\w*|şahin\w*|doğan\w*|fiat\w*"
    r"|egea\w*|renault\w*|clio\w*|megane\w*|toros\w*|ford\w*|focus\w*|toyota\w*|corolla\w*|honda\w*|civic\w*"
    r"|hyundai\w*|kia\w*|opel\w*|corsa\w*|volkswagen\w*|golf\w*|passat\w*|polo\w*|dacia\w*|duster\w*|togg\w*"
    r"|tesla\w*|bmw\w*|audi\w*|mercedes\w*|peugeot\w*|yamaha\w*|canon\w*|nikon\w*|ikinci el)"
)
ENDING = r"(yorum|yoruz|rım|rim|rum|rüm|arım|erim|ırım|irim|urum|ürüm|arız|eriz|ırız|iriz|mam|mem|mayız|meyiz)"
MONTHS = r"(ocak|şubat|mart|nisan|mayıs|haziran|temmuz|ağustos|eylül|ekim|kasım|aralık)"
DAYS = r"(pazartesi|salı|çarşamba|perşembe|cuma|cumartesi|pazar)"

STEMS = (
    r"(ver|yaz|anlat|kullan|konuş|yap|et|ed|belirt|sor|koy|çevir|öner|göster|bitir|bahset|bahsed|bırak|çıkar|kes|tut|kur"
    r"|çiz|say|seç|düzelt|uyar|hatırlat|varsay|değin|bak|araştır|bul|davran|yaklaş|kat|sun|al|aktar|paylaş|yolla|gönder"
    r"|işaretle|vurgula|ayır|böl|yuvarla|dönüştür|uyarla|kıyasla|karşılaştır|örnekle|örneklendir|aç|kapat|uydur|eleştir"
    r"|öv|pohpohla|yargıla|uzat|kısalt|dolandır|süsle|tasarla|planla|oluştur|üret|sınırla|güncelle|doğrula|alıntıla"
    r"|çalış|yansıt|değiştir|sadeleştir|basitleştir|abart|sakla|zorla|sok|karıştır|çöz|yorumla|değerlendir|puanla|incele"
    r"|ilet|biçimlendir|formatla|imzala|kıs|gir|söyle|ekle|açıkla|hesapla|listele|özetle|yanıtla|cevapla|başla|gizle"
    r"|atla|önle|tekrarla|hazırla|sırala|numarala|seslen|çağır|dile|kontrol et|uygula|temel al|hitap et|yönlendir|öğret"
    r"|tanımla|detaylandır|renklendir|topla|dök|geç|vur|bulun|bağla|adlandır|isimlendir|kaç|kaçın|uy|kal|iste|dur|tamamla"
    r"|ele ver"
    r"|cevap ver|özür dile|odaklan|es geç|boğ|yor|şımart|yaltaklan|övgüler düz|laf et|sansürle|yumuşat|çarpıt|sık|yedir)"
)
"""Verbs for what an assistant can be asked to do, without endings."""
NOT_TOLD = r"(?! (der|derdi|dedi|demiş|diyor|derler|diyorlar|diye|dedim|diyorum|tatil\w*|ay\w{0,5}|mevsim\w*|gün\w*)\b)"
"""Lookahead: no reported speech, and no noun that is spelled like the verb before it."""
END = (
    r"(?=$| ?[,;:.!)(—–]| - | (lütfen|bana|benim|benimle|bende|beni|olur mu|tamam mı|ki|çünkü|zira|ve|ama|yoksa|artık|hep"
    r"|daima|her|asla|hiçbir|cevap\w+|yanıt\w+|bundan|hemen|mutlaka)\b)"
)
"""What follows a verb that ends its clause."""
DO = (
    rf"(?<!haber ){STEMS}(y?[ıiuü]n([ıiuü]z)?|y?[ıiuü]ver([ıi]n)?|s[ae]n[ae]|m[ae](y[ıi]n([ıi]z)?)?|m[ae]yiver"
    rf"|(m[ae])?m[ae]l[ıi]s[ıi]n([ıi]z)?|[ıiuüae]?y?[ae]bilirsin(iz)?"
    rf"|(m[ae])?m[ae]n([ıi]z)? (gerek|gerekiyor|lazım|şart|yeterli|yeter)"
    rf"|\w{{0,3}}r m[ıiuü]s[ıiuü]n([ıiuü]z)?|\w{{0,4}}s[ae]n([ıi]z)? (sevinirim|iyi olur|memnun olurum|yeter))?{END}"
)
"""An imperative to the assistant, familiar or polite, and its paraphrases."""
BE = r"(ol|olun|olma|olmayın|olunuz|olursan)"
SHALL = (
    rf"((ol|bulun|kal|geç|aş|yer al|içer|başla|bit|gel|dur|çık|sür|artma|de|et|kullan|yaz|ver)(m[ae])?|\w+([ıiuü]l|n)"
    rf"(m[ae])?)s[ıiuü]n(lar|ler)?{END}"
)
"""What something should be: "olsun", "verilsin"."""
WISH = (
    r"\w+m[ae](m[ae])?n([ıi]z)?[ıi] (\S+ ){0,3}?(istiyorum|isterim|isterdim|rica \w+|beklerim|bekliyorum|tercih \w+"
    r"|istemiyorum|istemem|umuyorum)"
)
"""What the user wants the assistant to do: "yazmanı istiyorum"."""
FROM_NOW = (
    r"(bundan sonra\w*|bundan böyle|bundan itibaren|(bu|şu) andan itibaren|şimdiden sonra|bugünden (itibaren|sonra)"
    r"|ileride|ilerde|gelecekte|önümüzdeki konuşmalar\w*|sonraki konuşmalar\w*|varsayılan olarak|aksini söyleme\w*)"
)
ALWAYS = (
    rf"({FROM_NOW}|artık|her zaman|her daim|daima|hep|hepsinde|sürekli|devamlı|her (sefer|defa|koşul|durum|şart|halükar)\w*"
    r"|mutlaka|kural olarak|ilke olarak|istisnasız|bütün konuşmalar\w*|tüm konuşmalar\w*|ne olursa olsun|hiç şaşmadan)"
)
NEVER = (
    r"(asla|hiçbir zaman|hiç bir zaman|hiçbir (şekilde|koşulda|şartta|durumda|cevap\w+|yanıt\w+|mesaj\w+)|katiyen"
    r"|kesinlikle|sakın|bir daha|bi daha|hiç)"
)
WORDS = r"( \S+){0,12}? "
"""Some words of the sentence, which may include commas."""
MADE = (
    r"(tarif|özet|cevap|cevab|yanıt|liste|öneri|tavsiye|açıklama|örnek|örneğ|tablo|kod|test|quiz|soru|metin|metn|mail"
    r"|e-posta|eposta|çeviri|plan|program|fiyat|tarih|saat|ölçü|birim|sıcaklık|sıcaklığ|rakam|sayı|mesafe|uzunluk|ağırlık"
    r"|hesaplama|hesap|haber|rapor|sunum|mektup|mesaj|taslak|taslağ|başlık|yazı|paragraf|hava durumu|antrenman|egzersiz"
    r"|menü|alıştırma|ders notu|grafik|grafiğ|görsel|düzeltme|talimat|yönerge|adım|rota|rehber|ipucu|ipuçları|anlatım"
    r"|bilgi|para|tutar|kaynak|kaynakça|kıyaslama|karşılaştırma|porsiyon|yorum|madde|şablon|şiir|film|kitap|dipnot|sınav"
    r"|sözleşme|slayt|ödev|gezi planı|bütçe|formül|komut|fonksiyon|değişken)(ler|lar)?\w{0,6}"
)
"""What an assistant produces."""
HOW = (
    r"(\S+ )*?(olarak|için|hal[ıi]nde|şekl[ıi]nde|şek[ıi]lde|biçim\w+|madde\w*|\w+(kişilik|haneli|satırlık|günlük|lik|lık)"
    r"|kişilik|cinsinden|üzerinden|kısa|uzun|sade|basit|resmi|samimi|net|dilinde|\d+|iki|üç|dört|beş|altı|on|tek|en"
    r"|satır|lütfen|ile|birlikte|olmadan|önce|sonra|dahil|\w+(ca|ce|ça|çe)|\w+(sız|siz|suz|süz)|\w+(lı|li|lu|lü))"
)
"""How the output should be."""
NO_VERB = (
    r"(?![^;]*\b(?!satır|kadar|sıfır|bir\b)\w+(yor\w*|[ıiuüae]r(ım|im|um|üm|ız|iz|uz|üz|lar|ler)?|[dt][ıiuü](m|k|lar|ler)?"
    r"|m[ıiuü]ş|[ae]ca[kğ]\w*|[ae]ce[kğ]\w*|m[ae]z|m[ae]m|zorunda\w*)$)"
)
"""Lookahead: the sentence does not end with a statement."""
COMES_UP = (
    r"(geç|gel|çık|aç[ıi]l|söz konusu ol|konu ol|konusu ol|gerek|ol|bahsed|bahset|değin|görün|görünü|rastla|karşılaş|sorul"
    r"|istenir|istenil|isten|an[ıi]l|kullan[ıi]l|yaz[ıi]l|dön|kay|uğra|düş|yap[ıi]l|konuşul|ver[ıi]l|hazırlan)"
)
WHEN = (
    rf"(\S+[dt][ıiuü]ğ[ıiuü]\w{{0,4}}[dt][ae]|\S+[dt][ıiuü]ğ[ıiuü]\w{{0,4}} (zaman|her|sürece|anda|an|takdirde|durumlarda"
    rf"|durumda|yerde|vakit)|\S+[dt][ıiuü]k[çc][ae]|\S{{2,}}rken|her \S+[dt][ıiuü]ğ\w+"
    rf"|(geç|gel|aç[ıi]l|ol|çık|sor|iste|istey|de|diy|yaz|bahsed|gönder|ver|konuş|anlat|sorul)[ıiuü]nc[ae]"
    rf"|{COMES_UP}[ıiuüae]?r?(sa|se)(lar|ler)?|(?!yoksa|olmazsa|yarın)\S+r(sa|se)(m|k)"
    rf"|(?!iste|dile|bul|edeb|uygun)(?!\S*bil[ıi]r)\S+(r|yor|z)(sa|se)n([ıi]z)?|değilsen|emin olmad\w+)"
)
"""A condition about what comes up in the conversation or what either side does in it."""
STYLE = (
    r"(emoji|spoiler|sürprizbozan|madde işaret|klişe|giriş cümle|ünlem|iltifat|laf kalabalığ|laf salatas|ahlak ders"
    r"|gülücük|yüz ifade|süslü laf|süslü cümle|süslü ifade|boş laf|yabancı kelime|yabancı sözcük|ingilizce kelime"
    r"|ingilizce terim|ingilizce sözcük|argo|küfür|jargon|kısaltma|teknik terim|yağcılık|yalakalık|dalkavukluk|övgü|özür"
    r"|sansür|nutuk|gereksiz \w+|uzun \w+|hashtag|yıldız işaret|kalın yazı|markdown|parantez|büyük harf|alıntı|mecaz"
    r"|reklam|vaaz|nasihat|uyarı mesaj|feragat|tıbbi uyarı|önsöz|giriş konuşma|kapanış cümle|espri|ironi|lafı dolandır"
    r"|lafı uzat|geçiştirme|ders verme|tablo|dipnot|link)\w*"
)
"""Elements of style that people do not want in answers."""
TALK = (
    rf"(laf|söz|cümle|kelime|sözcük|sözcüğ|ifade|deyim|kalıp|kalıb|hitap|hitab|özür|övgü|uyarı|klişe|giriş|tavsiye|öneri"
    rf"|reklam|tekrar|nasihat|yorum|senden|sizden|cevap|yanıt|cevab|spoiler|{STYLE}|emoji)\w*"
)
QUOTE = "[\"“«'‘”»]"

TABLE = PhraseTable(
    code="tr",
    first=rf"""
        (ben|beni|bana|bende|benden|benim|biz|bizi|bize|bizim|kendim|kendi)
        \w+(yorum|yoruz|dım|dim|dum|düm|tım|tim|tum|tüm|dık|dik|duk|dük|tık|tik|tuk|tük|acağım|eceğim|acağız
            |eceğiz|ımız|imiz|umuz|ümüz|mıyorum)
        \w+{ENDING}
        \w+(ım|im|um|üm) (var|yok)
    """,
    close=rf"""
        {PEOPLE}
        {PETS}
        bizim (kız|oğlan|çocuk\w*|kedi|köpek)
    """,
    states=rf"""
        (adı|ismi|adında|yaşıyor|oturuyor|çalışıyor|okuyor|yaşında|doğum günü|doğdu|öldü|vefat etti|evli|boşandı
            |evlendi|nişanlandı|emekli oldu|taşındı|mezun oldu|bekliyor|kazandı|gitti|yerleşti|çalıyor|yapıyor
            |işletiyor|kullanıyor|seviyor|sever|sevmez|sevmiyor|bayılır|bayılıyor|nefret ediyor|nefret eder|yemez
            |yemiyor|içmez|içmiyor|korkuyor|korkar|vejetaryen|vegan|solak|oldu)
        {JOBS}
        {ILL}
        \d+ yaş\w*
        var$
    """,
    instruction=rf"""
        {ALWAYS}{WORDS}{DO}{NOT_TOLD}
        {NEVER}{WORDS}{STEMS}m[ae](y[ıi]n([ıi]z)?)?{END}{NOT_TOLD}
        {NEVER}{WORDS}\w+m[ae]y[ıi]n([ıi]z)?{END}
        {STEMS}(y?[ıiuü]n([ıiuü]z)?|m[ae](y[ıi]n([ıi]z)?)?)?( \S+){{0,5}}? ({ALWAYS}|{NEVER})$
        ({ALWAYS}|{NEVER}){WORDS}(bana|benimle|karşı|sözlü|dürüst|açık|net|kısa|nazik|kibar|resmi|samimi|direkt
            |doğrudan|eleştirel|tarafsız|sabırlı|ciddi|gerçekçi|sert|yumuşak|öz|katı|temkinli) (\S+ )?{BE}{END}
        (bana karşı|benimle)( \S+){{1,5}}? ({BE}{END}|{DO})
        {ALWAYS} (\S+ ){{0,2}}?{MADE} {NO_VERB}{HOW}
        {FROM_NOW} (\S+ ){{0,4}}?(\w+(ca|ce|ça|çe)|cinsinden|olarak|şeklinde|halinde|lütfen)$
        {WHEN}{WORDS}({DO}{NOT_TOLD}|{SHALL}|{BE}{END}|{WISH})
        (ne zaman|her nerede|nerede) (\S+ ){{1,8}}?\S+(sa|se)(m|k|n|nız|niz)?{WORDS}({DO}|{SHALL}|{WISH})
        {MADE} (\S+ ){{0,4}}?({ALWAYS}|{NEVER}) {NO_VERB}{HOW}
        ({ALWAYS}|{NEVER}) (\S+ ){{1,5}}?{MADE}( lütfen)?$
        {MADE}{WORDS}({ALWAYS} (\S+ ){{0,5}}?)?(?<!bu )(?<!şu ){SHALL},? (her zaman|daima|hep|her seferinde|mutlaka)
        {ALWAYS} (\S+ ){{0,8}}?{MADE} (\S+ ){{0,8}}?{SHALL}
        {MADE} (\S+ ){{0,5}}?{ALWAYS} (\S+ ){{0,8}}?{SHALL}
        (her|bütün|tüm) (\S+ )?{MADE}{WORDS}({DO}|{SHALL}|{WISH})
        ^(\S+ )?(tarifler|özetler|cevaplar|yanıtlar|listeler|açıklamalar|çeviriler|fiyatlar|ölçüler|testler|öneriler
            |örnekler|kodlar|planlar|tarihler|saatler|birimler|sıcaklıklar)\w{{0,4}} (\S+ ){{0,8}}?{SHALL}
        bana (\S+ ){{0,3}}?(diye (hitap et|seslen)|diyebilirsin|diyebilirsiniz|hitap (et|edin|edebilirsin\w*)
            |seslen|seslenin)
        bana (\S+ )?(?!sen |siz |ne )\S+ (de|deyin|deyiver|desen|deseniz)(?=$|[,;:.!]| lütfen| yeter)
        (beni|bana|benim\w*) (\S+ ){{1,3}}?(diye|adıyla|ismiyle) (çağır|çağırın|hitap et|hitap edin|seslen|an|tanı)
        (adımla|ismimle|adımı kullanarak|ilk adımla|soyadımla|lakabımla|unvanımla|unvansız) (\S+ )?(hitap|seslen|çağır
            |konuş)\w*
        (bana |benimle )?(sen|siz|hanım|bey|abi|abla|hocam|efendim|kanka|dostum)( (veya|ya da) \w+)?( diye hitap
            | diye seslen| deme| demeyin| diliyle| dili| demen| de)(\w+)?{END}
        (sizli bizli|senli benli|sizli|senli|teklifsiz|resmi) (\S+ )?(konuş|hitap|yaz|ol)\w*
        (unutma|unutmayın|unutma ki|aklında tut|aklında bulundur|aklında olsun|aklınızda bulunsun|hatırla|not al|not et
            |bunu bil|şunu bil|kaydet|dikkat et|kural bu|bu kural|kulağına küpe olsun)
        (cevaplarında|yanıtlarında|cevapların|yanıtların|cevaplarda|yanıtlarda|mesajlarında|cevaplarını|yanıtlarını
            |cevaplarınızda|yanıtlarınızda|cevaplarınız|yanıtlarınız|cevaplarınızı|açıklamalarını|açıklamaların
            |açıklamalarında|yazdıklarında|önerilerinde) (?!için|çok (iyi|güzel)){NO_VERB}\S+
        ({ALWAYS}|{NEVER}|{WHEN}|senden|sizden|cevap\w+|yanıt\w+){WORDS}{WISH}
        {WISH},? ({ALWAYS}|{NEVER}|her \w+)
        {STEMS}m[ae]m[ae]n([ıi]z)?[ıi] (\S+ ){{0,2}}?(istiyorum|isterim|rica \w+|tercih \w+)
        (?<!bir )(konuş|kullan|davran|hitap et|cevapla|yanıtla|göster|belirt)m[ae]n([ıi]z)?[ıi] (istiyorum|isterim
            |tercih \w+|rica \w+)
        ({QUOTE}|{TALK}).{{0,60}} (duymak|görmek|okumak|işitmek) (\S+ )?(istemiyorum|istemem)
        (duymak|görmek|okumak|işitmek) istemiyorum( \S+){{0,4}}? ({QUOTE}|{TALK})
        (artık|bir daha|bi daha|asla|hiç|{QUOTE}|{TALK}).{{0,80}} (duymayayım|görmeyeyim|okumayayım|rastlamayayım
            |duymayalım|görmeyelim)
        \w+[ıiuü]p durma(yın)?{END}
        (?!sigara)\S+ (\S+m[ae]y[ıi]|\S+m[ae]kten) (bırak|kes|vazgeç|kesin|bırakın|vazgeçin|kaçın|kaçının)$
        ^((lütfen|hiçbir zaman|bundan sonra|artık|bir de|bana|hiç|hiçbir|cevaplarda
            |asla) )*{STYLE}( \S+)?( \w+m[ae]k)? (yok|olmasın|istemem
            |istemiyorum|yasak|kullanma|koyma|yazma|verme|kullanmayın|koymayın|gerekmez|gereksiz|lazım değil){END}
        (emoji|spoiler|giriş|klişe|süs|yorum|jargon|uyarı|ünlem|argo|terim|övgü)(sız|siz|suz|süz)(,| lütfen|$)
        (emoji|spoiler|klişe|jargon)(sız|siz|suz|süz) (\S+ ){{0,3}}?({DO}|{SHALL})
        (lafı (uzatmadan|dolandırmadan)|uzatmadan|dolandırmadan|spoiler vermeden|emoji (kullanmadan|koymadan|olmadan))(,
            | (\S+ ){{0,3}}?({DO}|lütfen|{ALWAYS})|$)
        \w+m[ae]k (yok|yasak),? (lütfen|asla|hiçbir zaman|artık|bundan sonra|bir daha)
        (artık|bundan sonra|bundan böyle|bir daha)( \S+){{1,4}}? (yok|yasak)$
        (yeni kural|kural olarak|kuralımız)
    """,
    one_off=rf"""
        (sıradaki|sonraki(?! konuşma)|bir sonraki|şu soru\w*|bu soru\w*|bu sefer|bu seferlik|bu kez|bu kezlik|bu defa
            |bu defalık|bir kereliğine|bir kerelik|bir seferlik|bir defalık|sadece bugün|şimdilik|aşağıdaki\w*
            |yukarıdaki\w*|ekteki\w*|hatırlıyor musun)
        (bu|şu|son|ilk|gelecek) (cevab\w*|cevap\w*|yanıt\w*|çeviri\w*|özet\w*|soru\w*|görev\w*|sohbet\w*)
        (bu|şu) (metn\w*|metin\w*|mail\w*|e-posta\w*|paragraf\w*|tarif\w*|kod\w*|fiyat\w*|yazı\w*|tablo\w*|liste\w*
            |mesaj\w*|mektub\w*|dosya\w*|resm\w*|haber\w*|makale\w*|cümle\w*(?! (bir daha|artık|duy|kullan|kurma|görm)))
        (yarın|bugün|bu akşam|bu gece|bu hafta|bu sabah|birazdan|az sonra)(?! ve)
        (bit(ir)?|tamamla|hazır ol|müsait ol)(ince|diğinde|dığında|duğunda|ir(se)n|ürsen|ursan)
        (korsan\w*|karakter\w*|rol yap|gibi davran|hayal et|farz et)
        {PEOPLE}( \S+){{0,12}}? (der|derdi|diyor|dedi|demişti|söyler|söylerdi|tembihler|ister|istiyor|istiyordu)$
        (bizim (ekip|takım|şirket|okul|ofis|ev|sınıf|aile)\w*|ekibimiz|şirketimiz|okulumuz|ofisimiz|sınıfımız
            |işyerimiz|evimiz)[dt][ae](?![^;]*(o yüzden|bu yüzden|bu nedenle|onun için|dolayısıyla))
    """,
    sure={
        "constraint": rf"""
            {ILL}(m|ım|im|um|üm|ım var|im var|lıyım|liyim|yım|yim)
            {ILL} (var|oldum|hastasıyım|hastası oldum|teşhisi|tanısı|kullanıyorum|sorunum|çekiyorum|yaşıyorum)
            (alerjim|intoleransım|fobim|korkum|hastalığım|rahatsızlığım) (var|vardır|çok)?
            (doktor|doktorum) (\S+ )?(\S+ )?(\S+ )?(yasakladı|yasak etti|izin vermiyor)
            (yiyemem|yiyemiyorum|içemem|içemiyorum|yememem|içmemem|yemem yasak|kaldıramam|kaldıramıyorum
                |taşıyamam|koşamam|koşamıyorum|binemem|binemiyorum|dokunuyor|yasak)
            (et|kırmızı et|domuz|balık|tavuk|süt|yumurta|şeker|alkol|gluten|ekmek|peynir|kuruyemiş|hayvansal
                |deniz ürünü|tuz)(i|ı|u|ü|yi|yı)? (\S+ )?(yemiyorum|yemem|içmiyorum|içmem|tüketmiyorum|kullanmıyorum
                |yemeyi bıraktım|ağzıma sürmem)
            (den|dan|ten|tan|\w+[dt][ae]n) (\S+ )?(\S+ )?(korkuyorum|korkarım|çok korkarım|ödüm kopar|ödüm kopuyor
                |fobim var|rahatsız oluyorum)
            (bütçem|bütçemiz|limitim)
            (fazla|çok|üstü\w*) (\S+ )?(harcayamam|harcayamıyorum|ödeyemem|veremem|ayıramam)
            (en fazla|en çok|maksimum) ~ (harcayabilirim|ödeyebilirim|ayırabilirim|verebilirim|bütçe\w*)
            (glutensiz|laktozsuz|helal|vegan|vejetaryen|tuzsuz|şekersiz) (besleniyorum|beslenirim|yiyorum|diyet\w*)
            (diyetteyim|diyet yapıyorum|insülin kullanıyorum|ilaç kullanıyorum
                |kan sulandırıcı\w* (\S+ )?kullanıyorum|antidepresan kullanıyorum)
            (dizim|belim|sırtım|omzum|boynum|kalçam)\w* (\S+ )?(\S+ )?(ağrı\w+|sorunlu|ameliyat\w*|sakat|fıtı\w+
                |problem\w*|rahatsız\w*)
            (midem|başım)\w* (\S+ )?(bulanır|bulanıyor|döner|kaldırmıyor)
        """,
        "identity": rf"""
            (ben )?{JOBS}(yım|yim|yum|yüm|ım|im|um|üm)
            (öğretmeniyim|mühendisiyim|doktoruyum|hemşiresiyim|öğrencisiyim|müdürüyüm|uzmanıyım|teknisyeniyim
                |memuruyum|şoförüyüm|geliştiricisiyim)
            {JOBS} (olarak|olarak çalışıyorum|oldum)
            (okuyorum|üniversite\w* (okuyorum|gidiyorum|son sınıf\w*)|mezunuyum|mezun oldum
                |yüksek lisans yapıyorum|doktora yapıyorum|staj yapıyorum|ders veriyorum|öğretmenlik yapıyorum)
            (evliyim|bekarım|bekârım|boşandım|dulum|nişanlıyım|emekliyim|işsizim|doğum iznindeyim|solağım
                |tek çocuğum|müslümanım|ateistim|hristiyanım|eşcinselim|emekli oldum)
            (anadilim|ana dilim|mesleğim|soyadım|adresim|telefon numaram|numaram|boyum|kilom|ayakkabı numaram
                |burcum|bedenim|e-postam|mailim|işim)
            (\w+ca|\w+ce|\w+ça|\w+çe) (\S+ )?(konuşuyorum|biliyorum|konuşurum|bilirim)
            (doğdum|büyüdüm|doğma büyüme|doğumluyum)
            (işten ayrıldım|iş değiştirdim|terfi aldım|terfi ettim|işe başladım|istifa ettim|kendi (\S+ )?(açtım
                |kurdum)|işe girdim|atandım|kovuldum)
        """,
        "person": rf"""
            (bir|iki|üç|dört|\d+|tane|küçük) (\S+ )?(\S+ )?(çocuğum|çocuğumuz|kızım|oğlum|kardeşim|kedim|köpeğim
                |kedimiz|köpeğimiz|torunum|ablam|abim|kuşum|tavşanım|atım|balığım|kaplumbağam|tavuğum|tavuğumuz
                    |atımız)\w* var
            ({PEOPLE}|{PETS}) (\S+ )?(adı|ismi)
            (kedi|köpek|kuş|tavşan|evlat) (\S+ )?(sahiplendim|sahiplendik|edindik|aldık)
            (bebek|çocuk|ikiz) (\S+ )?(bekliyoruz|bekliyorum)
            hamileyim
        """,
        "preference": r"""
            (bayılırım|bayılıyorum|severim|seviyorum|sevmem|sevmiyorum|hoşlanırım|hoşlanmam
                |hoşlanmıyorum|nefret ederim|nefret ediyorum|tercih ederim|tercih ediyorum|tapıyorum|hayranıyım
                |tutkunuyum|düşkünüm|düşkünüyüm|meraklısıyım|bağımlısıyım|katlanamam|katlanamıyorum|tahammül edemem
                |tahammül edemiyorum|dayanamam|dayanamıyorum|haz etmem|fanıyım|ilgileniyorum|ilgim var|sevmedim
                |alışkınım|iğrenirim|tiksinirim)
            (en sevdiğim|favorim|favori|en sevmediğim|hobim|hobilerim|tutkum|alışkanlığım)
            (içerim|yerim|içmem|yemem|koşarım|yüzerim|okurum|dinlerim|izlerim|giderim|yaparım
                |kalkarım|yatarım|uyurum|pişiririm|yürürüm|oynarım|kullanırım|izlemem|okumam|kullanmam|kullanırız
                |gideriz|yaparız|alırım|koymam|atmam)
            (her|hafta sonları|sabahları|akşamları|pazarları|cumaları|cumartesileri|haftada|günde) ~ (koşuyorum
                |yüzüyorum|gidiyorum|yapıyorum|okuyorum|içiyorum|kalkıyorum|oynuyorum|yürüyorum|pişiriyorum|gidiyoruz
                |buluşuyoruz|izliyorum|spor yapıyorum|bisiklete biniyorum|dinliyorum|çalışıyorum)
            (sigara (içmiyorum|içmem|kullanmıyorum)|erkenciyim|gece kuşuyum|sabah insanıyım|kahve insanıyım
                |çaycıyım|kahveciyim)
        """,
        "possession": rf"""
            {THINGS} (\S+ )?(\S+ )?(var|kullanıyorum|sürüyorum|aldım|aldık|sattım|sattık|çalıyorum|çalarım
                |biniyorum|sahibiyim|kullanırım|miras kaldı|sahibim)
            \w+('im|'ım|'um|'üm|'m) var
            (gitar|piyano|keman|bağlama|saz|davul|ud|ney|flüt|akordeon|çello|klarnet|ukulele|bas gitar
                |kanun) (\S+ )?(\S+ )?(çalıyorum|çalarım|öğreniyorum|dersi alıyorum)
            (python|java\w*|rust|php|c\+\+|linux|windows|mac\w*|excel|photoshop|figma|go|kotlin|swift|ruby|react
                |matlab|notion|obsidian|vim|ubuntu|android|autocad)\S* (\S+ )?(\S+ )?(yazıyorum|kullanıyorum
                |kodluyorum|geliştiriyorum|çalışıyorum|programlıyorum|kod yazıyorum)
            (kod yazıyorum|programlama yapıyorum|biriktiriyorum|koleksiyonu yapıyorum|topluyorum)
            (\w+[ıiuü]) (sattım|sattık|değiştirdim)
            kiradayım|kirada oturuyorum
        """,
        "project": rf"""
            (tez\w*|roman\w*|kitap|kitabımı|kitabım|uygulama|uygulamamı|site|oyun|film|belgesel|albüm|proje\w*
                |makale\w*) ~ (yazıyorum|geliştiriyorum|yapıyorum|hazırlıyorum|hazırlanıyorum|üzerinde çalışıyorum
                |çekiyorum|çalışıyorum|kuruyorum)
            (\w+(a|e|ya|ye)|için) (\S+ )?(hazırlanıyorum|hazırlanıyoruz|çalışıyorum|antrenman yapıyorum
                |para biriktiriyorum|para biriktiriyoruz|biriktiriyoruz)
            (hazırlanıyorum|hazırlanıyoruz|para biriktiriyorum|para biriktiriyoruz|tadilat yapıyoruz
                |tadilat yaptırıyoruz|restore ediyorum|ev yaptırıyoruz|planlıyorum|planlıyoruz|organize ediyorum)
            (ingilizce|almanca|fransızca|ispanyolca|italyanca|japonca|korece|rusça|arapça|çince|python|yüzme
                |yüzmeyi|dikiş|kodlama) (\S+ )?(öğreniyorum|öğrenmeye başladım|çalışıyorum|kursuna gidiyorum)
            (({MONTHS})\S*|gelecek|önümüzdeki|seneye|bu (yaz|kış|sonbahar|ilkbahar|yıl|sene)|yazın|baharda|kışın
                |haftaya|yıl sonun\w*|ay sonun\w*|\S+ (ay|hafta|yıl) sonra|{DAYS} günü) ~ (taşınıyorum|taşınıyoruz
                |evleniyorum|evleniyoruz|başlıyorum|başlıyoruz|gidiyorum|gidiyoruz|uçuyorum|istiyorum|istiyoruz
                |\w+acağım|\w+eceğim|\w+acağız|\w+eceğiz|planlıyorum|planlıyoruz|ameliyat oluyorum|sınavım var
                |randevum var|açıyorum|açıyoruz|düğünüm\w* var|teslim\w*|mezun oluyorum|yapacağız|koşacağım
                |niyetindeyim|niyetim var|düğünümüz var)
            (hedefim|amacım|hayalim|planım|planımız|projem|projemiz|hedefimiz)
            (randevum|sınavım|mülakatım|ameliyatım|düğünümüz|düğünüm|uçağım|uçuşum|toplantım|sunumum|savunmam
                |teslimim|kontrolüm|duruşmam)
            (evleniyorum|evleniyoruz|kayıt oldum|kaydoldum|yazıldım|taşınıyoruz|taşınıyorum)
            (bırakmaya|öğrenmeye|kilo vermeye|açmaya|almaya|yazmaya|taşınmaya) (\S+ )?(çalışıyorum|karar verdim
                |niyetliyim)
            (kilo vermek|sigarayı bırakmak|ev almak|kitap yazmak|kendi işimi kurmak|maraton koşmak|öğrenmek) istiyorum
        """,
        "event": r"""
            (sınavı kazandım|sınavı geçtim|evlendim|evlendik|kaza geçirdim|ehliyet aldım|ödül kazandım|kovuldum)
        """,
    },
    slots={
        "name": r"""
            (adım|ismim|benim adım|benim ismim) (?!ne)VALUE
        """,
        "age": r"""
            (\S+ )?\S+ (yaşındayım|yaşına girdim|yaşıma girdim|yaşıma giriyorum|yaşına giriyorum)
        """,
        "birthday": r"""
            doğum günüm
        """,
        "home": r"""
            VALUE (oturuyorum|yaşıyorum|oturuyoruz|yaşıyoruz|ikamet ediyorum)
            \S+ (taşındım|taşındık|yerleştim|yerleştik)
        """,
        "origin": r"""
            (aslen )?\S+(lıyım|liyim|luyum|lüyüm)
        """,
        "employer": r"""
            VALUE (çalışıyorum|işe başladım)
            artık ~ çalışmıyorum
        """,
        "job": rf"""
            {JOBS} olarak (\S+ )?çalışıyorum
            (ben )?{JOBS}(yım|yim|yum|yüm|ım|im|um|üm)
        """,
        "diet": r"""
            (vejetaryenim|veganım|vejetaryen oldum|vegan oldum|vejetaryen besleniyorum|vegan besleniyorum
                |peskateryanım)
        """,
        "car": r"""
            (araba\w*|tofaş\w*|şahin\w*|doğan\w*|fiat\w*|egea\w*|renault\w*|clio\w*|megane\w*|toros\w*|ford\w*
                |toyota\w*|corolla\w*|honda\w*|civic\w*|hyundai\w*|kia\w*|opel\w*|corsa\w*|volkswagen\w*|golf\w*
                |passat\w*|polo\w*|dacia\w*|duster\w*|togg\w*|tesla\w*|bmw\w*|audi\w*|mercedes\w*)('\w+)? (\S+ )?(var
                |kullanıyorum|aldım|aldık|sürüyorum)
        """,
        "form of address": r"""
            bana (sadece |kısaca )?(\S+ )(de|diyebilirsin|diye hitap et|diye seslen)
        """,
    },
    hints={
        "constraint": rf"""
            (vejetaryen*|vegan*|helal|koşer|yasak*|hasta\w*|diz\w*|bel\w*|kalp\w*|ilaç\w*|hap\w*|tansiyon\w*|oruç*
                |baş dönme\w*|en fazla|en çok|yiyemiyorum|içemiyorum|yapamıyorum|korkuyorum|korkarım|glutensiz
                |şekersiz)
            {ILL}
            (bütçe\w*|ağrı\w*|sakat\w*|teşhis\w*|korku\w*)
        """,
        "identity": r"""
            (çalışıyorum|okuyorum|doğumlu*|yaşında\w*|memleket\w*|öğretiyorum|yönetiyorum|vardiya\w*|evliyim
                |boşan\w*|bekar\w*|solağ*|anadil\w*|vatandaş*|staj\w*|yarı zamanlı|bölüm\w*|şirket\w*|okul\w*|lise\w*
                |üniversite\w*|klinik\w*|hastane\w*|belediye\w*|dernek\w*|gönüllü\w*|yaşıyorum|oturuyorum)
            (meslek\w*|üniversite\w*|okul\w*|hastane\w*|vardiya\w*|evden çalış\w*|memleket\w*)
        """,
        "person": rf"""
            {PEOPLE}
            {PETS}
        """,
        "preference": r"""
            (yiyorum|yerim|içiyorum|içerim|dinliyorum|dinlerim|okurum|izliyorum|izlerim|koşuyorum|koşarım
                |yüzüyorum|yüzerim|dans\w*|gezerim|uyurum|resim|şarkı\w*|örgü|dikiş|tırmanış\w*|balık tut\w*
                |meditasyon|bayılırım|severim|seviyorum|sevmem|nefret|tercih|kalkarım|kalkıyorum|kahve\w*|çay\w*
                |müzik\w*|spor\w*|yoga|polisiye|dizi\w*|film\w*|yemek\w*)
            (içiyorum|yiyorum|koşuyorum|yüzüyorum|okuyorum|dinliyorum|izliyorum|oynuyorum|yürüyorum|uyuyorum)
        """,
        "possession": rf"""
            (kullanıyorum|sürüyorum|çalıyorum|takıyorum|besliyorum|biriktiriyorum|topluyorum|telefon\w*|samsung\w*
                |karavan\w*|abonelik\w*|gözlük\w*|lens\w*|dikiş makine\w*|akvaryum\w*|arı\w*|tavuk\w*|kayık|tekne\w*)
            {THINGS}
        """,
        "project": r"""
            (öğreniyorum|planlıyorum|hazırlanıyorum|biriktiriyorum|taşın\w*|evlen\w*|yaptırıyoruz|tadilat\w*
                |ehliyet\w*|kurs\w*|maraton\w*|sınav\w*|vize\w*|tez\w*|kitap|roman\w*|uçuş\w*|ameliyat\w*|yıl sonu\w*
                |kadar|(ocak|şubat|mart|nisan|mayıs|haziran|temmuz|ağustos|eylül|ekim|kasım|aralık)\w*|yazın|baharda
                |kışın|seneye|gelecek|önümüzdeki|hedef\w*)
            (proje\w*|hedef\w*|plan\w*|düğün\w*|taşınma\w*|sınav\w*|tez\w*|randevu\w*)
        """,
    },
    lasting=rf"""
        (hep|her zaman|asla|hiç|genelde|genellikle|çoğunlukla|normalde|ağırlıklı olarak|özellikle|sürekli|devamlı
            |düzenli|hayatım boyunca|küçüklüğümden beri|çocukluğumdan beri|yıllardır|aylardır|doğuştan|oldum olası)
        her (gün|sabah|akşam|hafta|ay|yıl|yaz|kış|{DAYS}|gece|hafta sonu)
        (yıldır|senedir|aydır|yıldan beri|\S+den beri|\S+dan beri|\S+ten beri|\S+tan beri)
        (sabahları|akşamları|hafta sonları|pazarları|cumartesileri|haftada)
    """,
    passing=r"""
        (şu an|şu anda|az önce|demin|şimdi|bugün|bu gece|bu akşam|bu sabah|dün|evvelsi gün|yarın|birazdan|bu hafta
            |henüz|yeni|biraz önce)
    """,
    blockers=r"""
        (olsaydı|olsaydım|olsa|keşke|eğer|diyelim ki|farz et|varsayalım|olsam|gibi davran|sanki|belki)
        \w+(sam|sem|saydım|seydim|ardım|erdim|ırdım|irdim|urdum|ürdüm)
        (merak ettim|merak ediyorum|acaba|bilmiyorum|emin değilim)
        (dedi|diyor|demiş|söyledi|söylüyor|sordu|iddia ediyor|anlattı|göre|yazmış|diyordu)
        (öykü|hikâye|hikaye|roman|şiir|şarkı|film|masal|senaryo) (\S+ )?(yazıyorum|yazdım|içinde|hakkında)
        (arıyorum|arıyoruz|bulamıyorum|bulamadım|lazım|bakıyorum)
        (şaka|şaka yapıyorum|rüyamda|ironi)
        (bekliyorum,|sıkıldım|sırada bekliyorum|sıra bekliyorum)
    """,
    requests=r"""
        (yaz|yazar mısın|yazsana|anlat|anlatır mısın|açıkla|çevir|bul|öner|önerir misin|söyle|göster|hesapla
            |özetle|düzelt|listele|hazırla|oluştur|yardım et|yardım eder misin|tavsiye et|karşılaştır|ver|yap
            |kontrol et|planla)$
        (mı|mi|mu|mü|mısın|misin|musun|müsün|mıyım|miyim|mıdır|midir)$
        (ne|nasıl|nerede|nereye|nereden|ne zaman|neden|niye|niçin|kim|hangi|kaç)( \S+)?( \S+)?$
    """,
    play=r"""
        (sen|siz) (şimdi|artık|bundan sonra) (\S+ )?(\S+ )?\w+(sın|sin|sun|sün)
        (rol yap\w*|gibi davran|hayal et|farz et|mış gibi yap|miş gibi yap|muş gibi yap|canlandır)
        (öykü|hikâye|hikaye|masal|şiir|şarkı|fıkra|diyalog|senaryo|monolog|konuşma|roman) (\S+ )?(yaz|anlat|uydur)$
        (bir )(öykü|hikâye|hikaye|roman|masal|şiir|senaryo) (\S+ )?(yazıyorum|yazdım)
    """,
    private=r"""
        (bunu hatırlama|kaydetme|bunu unut|dediğimi unut|aramızda kalsın|gizli kalsın|not alma|hafızana alma)
        (talimatları|kuralları|komutları|yönergeleri) (\S+ )?(yok say|unut|görmezden gel|dikkate alma)
    """,
    paste=r"""
        (çevir\w*|düzelt\w*|özetle\w*|iyileştir\w*|yeniden yaz\w*|kontrol et\w*|metin|metni|cümle\w*|mail\w*
            |paragraf\w*|mektup\w*|mesaj\w*)
    """,
    over=r"""
        artık (\S+ )?(\S+ )?(\S+ )?(\S+ )?\w+(mıyorum|miyorum|muyorum|müyorum|mıyoruz|miyoruz|muyoruz|müyoruz|mam
            |mem|mıyor|miyor|muyor|müyor|değil\w*|yok)
        (sattım|sattık|bıraktım|bıraktık|ayrıldım|ayrıldık|istifa ettim|vazgeçtim|boşandım|boşandık|öldü
            |vefat etti|iptal ettim|verdim gitti|kapattım)
        bir daha
    """,
    change=r"""
        (artık|şimdi|son zamanlarda|yerine|değiştirdim|değiştirdik|taşındım|taşındık|taşındı|geçtim|düzeltme
            |pardon|aslında|yanlış|yeni|sonunda|oldum)
    """,
    present=r"""
        \w+(yorum|yoruz)
        \w+(ırım|irim|urum|ürüm|arım|erim|rım|rim|ırız|iriz|arız|eriz)
        \w+(mam|mem|mayız|meyiz)
        \w+(yım|yim|yum|yüm|lıyım|liyim|luyum|lüyüm|nim|nım|cıyım|ciyim)
        (benim|bizim) \S+
        \w+(ım|im|um|üm|mız|miz|muz|müz) (\S+ )?(\S+ )?(\S+ )?(var|yok|\w+)
    """,
    vague=r"""
        (soru\w*|sorun var|fikrim|açım|susadım|vaktim|hata|teşekkür*|pardon|haklısın|yardım\w*|yorgunum|mutluyum
            |üzgünüm|kızgınım|eminim|hazırım|şaşkınım|yoldayım|evdeyim|otobüsteyim|geç kaldım|trafik\w*|sıkıldım
            |merak ediyorum)
        (sanırım|düşünüyorum|umarım|anlıyorum|biliyorum|görüyorum|arıyorum|bekliyorum|istemiştim|anlamadım
            |bilmiyorum|galiba|bulamıyorum|unuttum)
    """,
    past=r"""
        \w+(dım|dim|dum|düm|tım|tim|tum|tüm|dık|dik|duk|dük|tık|tik|dı|di|du|dü|tı|ti|tu|tü|mış|miş|muş|müş)$
    """,
)
