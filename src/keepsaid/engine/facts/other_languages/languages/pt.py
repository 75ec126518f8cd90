"""Portuguese, of Brazil and Portugal."""

from __future__ import annotations

from keepsaid.engine.facts.other_languages.table import PhraseTable

PEOPLE = (
    r"(irmã|irmão|irmãos|irmãs|mãe|mamãe|mamã|pai|papai|papá|pais|filha|filho|filhos|filhas|filhinh[ao]|bebê|bebé"
    r"|mulher|marido|esposa|esposo|parceir[ao]|companheir[ao]|namorada|namorado|noiva|noivo|ex|avó|avô|avós|vó|vô"
    r"|neta|neto|netos|tia|tio|prima|primo|sobrinha|sobrinho|sogra|sogro|sogros|cunhada|cunhado|genro|nora|amiga"
    r"|amigo|colega|vizinha|vizinho|chefe|chefa|gêmeos|gêmeas|gémeos|família|madrinha|padrinho|afilhad[ao]|caçula"
    r"|mais velh[ao]|mais nov[ao]|entead[ao]|madrasta|padrasto|miúd[ao]s?)"
)
PETS = (
    r"(cachorro|cachorra|cachorrinh[ao]|cachorros|cão|cães|cadela|gato|gata|gatos|gatinh[ao]|cavalo|égua|coelho"
    r"|hamster|papagaio|calopsita|periquito|tartaruga|jabuti|peixe|peixes|pet|bicho de estimação"
    r"|animal de estimação)"
)
MINE = r"((o |a |os |as )?(meu|minha|meus|minhas|nosso|nossa|nossos|nossas))"
ILL = (
    r"(alérgic[ao]s?|alergias?|intolerantes?|intolerância*|celíac[ao]s?|asma|asmátic[ao]s?|diabétic[ao]s?|diabetes?"
    r"|enxaquecas?|epilepsia|epiléptic[ao]|hipertens[ao]|hipertensão|pressão alta|tensão alta|artrite|artrose"
    r"|ansiedade|depressão|tdah|phda|autista|autismo|dislexia|disléxic[ao]s?|daltônic[ao]|daltónic[ao]|vertigens?"
    r"|claustrofobia|claustrofóbic[ao]|fobia|câncer|cancro|hérnia|escoliose|fibromialgia|hipotireoidismo|tireoide"
    r"|tiroide|psoríase|lúpus|crohn|esclerose|marca-passo|pacemaker|surd[ao]|ceg[ao]|grávida|cadeira de rodas"
    r"|hemodiálise|diálise|lactose|glúten|insulina|anemia|insônia|insónia|rinite|sinusite|gastrite|refluxo"
    r"|labirintite|aparelho auditivo|burnout|tendinite)"
)
JOBS = (
    r"(professora?|médic[ao]|enfermeir[ao]|engenheir[ao]|arquitet[ao]|advogad[ao]|programadora?|desenvolvedora?"
    r"|designer|estudante|doutorand[ao]|mestrand[ao]|jornalista|escritora?|tradutora?|fotógraf[ao]|músic[ao]|ator"
    r"|atriz|cozinheir[ao]|chef|garçom|garçonete|padeir[ao]|cabeleireir[ao]|eletricista|encanadora?|canalizadora?"
    r"|mecânic[ao]|carpinteir[ao]|marceneir[ao]|pedreir[ao]|agricultora?|policial|polícia|bombeir[ao]|militar"
    r"|motorista|taxista|caminhoneir[ao]|piloto|comissári[ao]|veterinári[ao]|farmacêutic[ao]|dentista|psicólog[ao]"
    r"|fisioterapeuta|parteira|biólog[ao]|químic[ao]|físic[ao]|pesquisadora?|investigadora?|servidora? públic[ao]"
    r"|funcionári[ao]|secretári[ao]|contadora?|contabilista|consultora?|economista|vendedora?|empresári[ao]"
    r"|autônom[ao]|freelancer|freelance|mei|aposentad[ao]|reformad[ao]|desempregad[ao]|bibliotecári[ao]"
    r"|estagiári[ao]|assistente social|diretora?|gerente|coordenadora?|guia|instrutora?|treinadora?|técnic[ao]|caixa"
    r"|entregador|nutricionista|analista|confeiteir[ao]|artesã|artesão|recepcionista)"
)
THINGS = (
    r"(carro|moto|caminhão|van|bike|bicicleta|patinete|trailer|casa|apartamento|apê|sítio|chácara|fazenda|terreno"
    r"|horta|quintal|jardim|violão|guitarra|piano|violino|bateria|teclado|ukulele|cavaquinho|flauta|saxofone|câmera"
    r"|câmara|notebook|computador|portátil|laptop|mac|macbook|pc|iphone|celular|telemóvel|android|tablet|ipad|kindle"
    r"|impressora|videogame|playstation|xbox|barco|veleiro|oficina|loja|empresa|negócio|blog|canal|podcast|coleção"
    r"|fusca|gol|uno|onix|hb20|palio|corsa|fiat|ford|chevrolet|renault|clio|peugeot|toyota|corolla|honda|civic"
    r"|yamaha|hyundai|kia|jeep|volkswagen|golf|tesla|bmw|audi|mercedes|canon|nikon|sony|linux|segunda mão|usad[ao])"
)
DAYS = r"(segunda|terça|quarta|quinta|sexta|sábados?|domingos?)"
MONTHS = (
    r"(janeiro|fevereiro|março|abril|maio|junho|julho|agosto|setembro|outubro|novembro|dezembro|primavera|verão"
    r"|outono|inverno|natal|páscoa|carnaval)"
)
# Standing instructions.
VERBS_AR = (
    r"(us|utiliz|mostr|fal|cit|assin|calcul|indi(c|qu)|avis|cont|mand|envi|list|deix|come[cç]|inici|verifi(c|qu)"
    r"|consider|trat|cham|pergunt|pass|apresent|anex|nome|mencion|elimin|respeit|adapt|format|separ|orden|abrevi"
    r"|simplifi(c|qu)|coment|justifi(c|qu)|prepar|cri|compar|especifi(c|qu)|espelh|mud|arredond|limit|guard|salv"
    r"|revel|adiant|avali|olh|vir|pul|salt|record|lembr|anot|coloc|coloqu|expli(c|qu)|evit|tent|acrescent|adicion"
    r"|recomend|ofere[cç]|critic|critiqu|elogi|agrade[cç]|cumpriment|convers|desenh|ilustr|ajud|test|ignor|aceit"
    r"|invent|exager|troc|troqu|mistur|junt|dirij|empregu?|integr|dit|termin|acab|finaliz|traz|marqu|marc|destac"
    r"|destaqu|sublinh|numer|mant|alert|substitu|peg|pegu|corrij|convert|invert|jog|jogu|met|troqu|refor[cç]"
    r"|questiono?|sinaliz|inform|alter|ajust|lig|ligu|mantenh|explicit|aponta?|chequ|chec|cont|sec|ensin|incentiv"
    r"|adot|dispens|detalh|resumo?|apont|defin|opin|mont|elabor|bol|ger|analis|revis|escolh|resolv|redig|formul"
    r"|public|ponder|fech|abr|sum|som|tir)"
)
VERBS_ER = (
    r"(respond|escrev|diz|dig|traduz|traduz|le[ri]?|corrig|corrij|resum|convert|invert|inser|insir|suger|sugir"
    r"|ofere[cç]|abr|sig|segu|repet|repit|descrev|defin|forne[cç]|prefer|prefir|substitu|conclu|inclu|exclu|reduz"
    r"|disting|exib|interromp|promet|constru|atribu|escolh|mant[eé]m|mantenh|p[oõ]e|ponh|prop[oõ]e|proponh|f[ai][zç]"
    r"|fa[cç]|trag|troux|met|introduz|divid|permit|omit|escond|percorr|atend|reconhe[cç]|produz|esclare[cç]|apare[cç]"
    r"|transcrev|tenh|sej|estej|v[aá])"
)
CLITIC = r"(-(me|mos?|mas?|te|lhes?|o|a|os|as|no|na|lo|la|los|las|nos|se))"
# Forms that are not statements about a third person. The others count only where no subject can be before them.
FIRM = (
    rf"((?!(de|se|da|do|as|os)[ ,])({VERBS_AR}i?(es?|em)|{VERBS_ER}(as?|am)|({VERBS_AR}(a|i|e)|{VERBS_ER}(e|i|a)?"
    rf"|d[áêa]|faz|faça|diz|põe|pon|traz|trá){CLITIC}|diga|digas|faça|faças|(?!de )dê|(?!des )dês|ponha|ponhas|seja"
    rf"|sejas|(?!se )sê|esteja|mantenha|proponha|traga|vá direto|leia|leias|siga|sirva|tenha em|opte"
    rf"|atenha-se)(?! ele| ela))"
)
LOOSE = rf"((?!(de|se|da|do|le)[ ,])({VERBS_AR}a|{VERBS_ER}e|diz|faz|dá|põe|traz|lê|fica|fique|fiques|vai|{FIRM}))"
INFINITIVE = (
    rf"(({VERBS_AR}i?ar|{VERBS_ER}(er|ir)|fazer|dizer|dar|pôr|por|ser|propor|trazer|ler|manter|expor|compor|traduzir"
    rf"|reduzir|incluir|excluir|concluir|substituir)(-\w+)?|(fazê|dizê|dá|pô|usá|colocá|mostrá|escrevê|citá|chamá"
    rf"|traduzi|convertê)-l[oa]s?)"
)
BEFORE_VERB = r"((me|te|lhe|o|a|os|as|nos|não|nunca|jamais|sempre|só|também|já|logo|por favor|se faz favor),? )*"
POLITE = (
    r"(por favor|por gentileza|se faz favor|se fizer favor|se possível|faz favor|faça o favor|pfv|pf|pfvr|peço-te"
    r"|peço-lhe|te peço|lhe peço)"
)
HEAD = (
    rf"(^(({POLITE}|olha|olhe|ouve|escuta|escute|ei|oi|olá|ok|okay|então|e|mas|depois|além disso|ah|desculpa|nota|tu"
    rf"|você|me|nos|lhe|agora),? )*"
    r"|^((e|mas|como|visto que|já que|dado que|uma vez que) )?(eu )?(sou|tenho|estou|tô|sofro|vivo|moro|trabalho"
    r"|estudo|somos|temos|prefiro|odeio|detesto|faço|uso|adoro|não (sou|tenho|vejo|enxergo|suporto|como|bebo|sei"
    r"|entendo|percebo|falo|posso|consigo|leio|gosto))( [^ ;]+){0,14}?[,;:] ((e|mas|me|só) )*"
    rf"|(então|portanto|por isso|assim|logo|daí|{POLITE}),? (me )?)"
)
FROM_NOW = (
    r"(de agora em diante|a partir (de|do) (agora|hoje|já|momento|aqui)|daqui (pra|para a|para) frente"
    r"|daqui em diante|de hoje em diante|doravante|no futuro|futuramente|para o futuro|daqui por diante"
    r"|de ora em diante|desde já|das próximas vezes|para sempre|pra sempre|desde agora|de hoje para a frente"
    r"|daqui pra diante)"
)
OFTEN = (
    r"(sempre|nunca( mais)?|jamais|toda vez|todas as vezes|cada vez|por padrão|por (regra|norma|princípio|defeito)"
    r"|em regra|automaticamente|sistematicamente|constantemente|de uma vez por todas|em (hipótese|caso"
    r"|circunstância) alguma|em nenhuma (hipótese|resposta)|em nenhum caso|em (qualquer|todo) caso|(em |a )?(toda"
    r"|cada|qualquer) (a )?(resposta|mensagem|receita|conversa|ocasião|texto)|em todas as \w+|em todos os \w+"
    r"|a menos que (eu )?|a não ser que (eu )?|no fim de cada|no final de (cada|toda)|no início de (cada|toda)"
    r"|depois de cada|antes de cada|de forma alguma|ao fim de cada)"
)
# No clause with its own verb, to which the adverb could belong: "tell me why the sky is always blue".
NEAR = (
    r"( (?!(que|porque|por que|porquê|como|o que|onde|quem|se|qual|quais|quanto|quando|tenho|é|são|está|tem|um|uma"
    r"|cujo|sou) |(para|pra) \w+[aei]r )[^ ;:.]+){0,7}? "
)
FAR = r"( [^ ;]+){0,14}? "
PAUSE = r"( [^ ;]+){0,14}?[,:] ((então|por favor|se faz favor|e|você|tu|aí|logo|já),? )*"
WHENEVER = (
    r"(sempre que|toda (a )?vez que|todas as vezes que|cada vez que|nas vezes (em )?que|caso|em caso de|diante de"
    r"|no caso de|quando|se|assim que|na hora de|mal)"
)
COMES_UP = (
    r"(aparec\w+|surg\w+|vier (à tona|à baila)|vierem|pintar|rolar|calhar|se (fala|falar|trata|tratar|menciona"
    r"|mencionar|cita|citar)|fala-se|falar-se|o assunto|a conversa|o tema|houver|há|tiver|falarmos|conversarmos"
    r"|discutirmos|formos falar|entrar|entrarmos|a gente (falar|estiver|tocar|entrar)|tocarmos|mencionarmos|encontrar"
    r"|encontrares|vires|você (vir|notar|perceber|reparar)|notares|reparares|for (mencionad|citad|nomead)\w"
    r"|forem (mencionad|citad)\w+|ocorrer|sair|utilizarmos|usarmos|estivermos|der erro|for (sobre|caso))"
)
WHEN_YOU = (
    rf"({WHENEVER} ((você|tu|o senhor|a senhora) )?(não )?((me|te|lhe|o|a) )?(for |fores |estiver |estiveres "
    rf"|precisar |precisares |quiser |tiver (de |que )|tiveres de )?(me )?(({VERBS_AR}ar|{VERBS_ER}[ei]r|fizer|disser"
    rf"|der|puser|propuser|trouxer|vier|ler|vir|souber|fores|explicar|incluir)(es)?(-me)?|{VERBS_AR}as|{VERBS_ER}es"
    rf"|tiver(es)? dúvida\w*|não souber\w*|fazer|fazes|dás|disseres|deres|fizeres|dizes|{VERBS_AR}a |está|estás)"
    rf"|{WHENEVER} ((você|tu|o senhor|a senhora) ((me|não) )?|me )\w+[aei]r(es)?)"
)
WHEN_I = (
    rf"({WHENEVER} (eu )?((te|lhe|for|te for) )?(pedir|perguntar|colar|mandar|enviar|escrever|falar|disser|passar"
    rf"|quiser|citar"
    r"|mencionar|errar|anexar|usar|mostrar|contar|der|fizer|carregar|peço|pergunto|colo|mando|envio|escrevo|falo|digo"
    r"|cito))"
)
DEMAND = (
    rf"((ela|ele|elas|eles|isso) )?(deve|devem|tem|têm|precisa|precisam|quero|queria|prefiro|gostaria|gostava|nada"
    rf"|sem|no máximo|máximo|só|somente|apenas|sempre|nunca|jamais|(não|nunca) {INFINITIVE}|pode|podes"
    rf"|não (precisa\w*|quero|me \w+|\w+es|\w+e)|basta|{INFINITIVE}|{LOOSE})"
)
MADE = (
    r"(receitas?|respostas?|preços?|resumos?|códigos?|comentários|datas?|medidas?|unidades|distâncias?|temperaturas?"
    r"|explicaç\w+|traduç\w+|mails?|e-?mails?|cartas?|textos?|listas?|tabelas?|exemplos?|referências|fontes?|citaç\w+"
    r"|títulos?|nomes|números|valor|valores|moedas?|horários?|horas|contas|cálculos?|quiz|provas?|testes?|exercícios?"
    r"|perguntas?|conselhos?|sugest\w+|correç\w+|rascunhos?|mensagens|mensagem|posts?|artigos?|histórias?|poemas?"
    r"|apresentaç\w+|slides?|documentos?|relatórios?|fichas?|scripts?|funç\w+|variáveis|fórmulas?|gráficos?|imagens"
    r"|imagem|roteiros?|itinerários?|viagens|menus?|cardápios?|ementas?|doses?|quantidades?|ingredientes|porç\w+"
    r"|pesos?|programas?|planos?|análises?|sínteses?|resenhas?|filmes?|livros?|propostas?|ideias?|notícias?"
    r"|definiç\w+|palavras?|termos?|frases?|parágrafos?|introduç\w+|saudaç\w+|conclus\w+|treinos?|jogos?|presentes?"
    r"|links?|notas?|resultados?|legendas?|orçamentos?|pratos?|outputs?)"
)
UNWANTED = (
    r"(emojis?|emoticons?|carinhas|smileys|spoilers?|list\w+|tópicos|bullets?|enrolaç\w+|exclamaç\w+"
    r"|pontos de exclamação|negritos?|itálicos?|gírias?|calão|palavrões|anglicismos|estrangeirismos|rodeios|desculpas"
    r"|elogios?|introduç\w+|preâmbulos?|formalidades|tabelas?|markdown|latex|sermões|sermão|moralismos?"
    r"|liç\w+ de moral|avisos|advertências|ressalvas|disclaimers?|links?|abreviaturas?|abreviaç\w+|jargão|jargões"
    r"|tecnicismos|repetiç\w+|resumos?|conselhos?|piadas?|piadinhas|ironias?|sarcasmo|citaç\w+|asteriscos|travess\w+"
    r"|maiúsculas|títulos|códigos?|comentários|floreios?|bajulaç\w+|puxa-saquismo|lisonjas?|clichês?|metáforas?"
    r"|siglas|acrónimos|acrônimos|perguntas?|hashtags?|fórmulas|diminutivos|brasileirismos|gerúndios?|gerúndio|inglês"
    r"|respostas?|imagens|explicaç\w+|frases feitas|exemplos?|frases motivacionais|conversa fiada|paninhos quentes"
    r"|papo furado)"
)

TABLE = PhraseTable(
    code="pt",
    first=r"""
        (eu|me|mim|meu|minha|meus|minhas|comigo|nós|nos|nosso|nossa|nossos|nossas|a gente|conosco|connosco)
        (sou|estou|tô|tenho|moro|vivo|trabalho|estudo|faço|vou|uso|jogo|toco|como|bebo|odeio|prefiro|costumo|quero
            |posso|tomo|corro|leio|ouço|escuto|dirijo|conduzo|somos|estamos|temos|moramos|vivemos|vamos|fui|comprei
            |vendi|comecei|parei|larguei|aprendo|falo|saio|durmo|cozinho|nado|programo|coleciono|cuido|dou|preciso
            |evito|detesto|adoro|amo)
        \w+(amos|emos|imos)
    """,
    close=rf"""
        {MINE} (\w+ )?(\w+ )?{PEOPLE}
        {MINE} (\w+ )?{PETS}
        (mamãe|papai|minha mãe|meu pai)
    """,
    states=rf"""
        (se chama|se chamam|chama-se|chamam-se|mora|moram|vive|vivem|trabalha|trabalham|estuda|estudam|ensina
            |dá aula|dá aulas|faz aniversário|fazem aniversário|faz anos|faz \S+ anos|nasceu|faleceu|morreu
            |tem \S+ (anos|meses|filhos|filhas|filho|filha)|têm \S+ anos|toca|coleciona|joga no|joga na)
        (é|são|era) (um |uma |muito |o |a )?(\S+ )?{JOBS}
        (é|são|está|estão|tem|têm|sofre|usa|faz) ~ {ILL}
        (é|são) (um |uma |muito |super )?(vegetarian[ao]s?|vegan[ao]s?|canhot[ao]|fã)
        (não|nunca) (come|comem|bebe|bebem|pode comer|suporta|aguenta|tolera|toma)
        (se )?(mudou|mudou-se|casou|casou-se|divorciou|aposentou|reformou-se|vai casar|vai se casar|separou)
        (teve|espera|está esperando|está à espera) ~ (bebê|bebé|filho|filha|menino|menina|gêmeos)
        (está|estão) (grávida|casad[ao]s?|divorciad[ao]s?|aposentad[ao]s?|viúv[ao]|estudando|desempregad[ao]
            |em cadeira|a estudar|morando|trabalhando)
        (adora|adoram|ama|amam|odeia|odeiam|detesta|prefere|gosta|gostam)
        (é|são) (de|um|uma) \w+
    """,
    instruction=rf"""
        {FROM_NOW},? (eu )?(quero|queria|gostaria|prefiro|gostava) (que|só|sempre|as|os|o|a|{MADE})
        {FROM_NOW},? {BEFORE_VERB}({LOOSE}|{INFINITIVE}|fala comigo)(?! eu| ele| ela| o meu| meu| minha)
        {FROM_NOW}{FAR}({FIRM}|(sem|nada de) {UNWANTED}|{MADE} (sempre|só|em|por|com|sem|curt\w+))
        {FROM_NOW}{PAUSE}{BEFORE_VERB}({LOOSE}|{INFINITIVE})
        {FROM_NOW},? (só|somente|apenas|(nada de|sem) {UNWANTED}|chega de|basta de|sempre|nunca|{POLITE}
            |(o |a |os |as |todas as |todos os )?{MADE}|para mim|pra mim|comigo|entre nós
            |(você |tu )?(me |não )*(deve|deves|devia|deverá|pode|podes|podia|poderia|tem de|tem que|tens de|vai
            |vais)|todos os|todas as)
        {HEAD}({BEFORE_VERB}({LOOSE}|{INFINITIVE})|{MADE}|nada de|sem|chega de|só|todas? as|todos? os){FAR}{FROM_NOW}
        ({FIRM}|não {INFINITIVE}){NEAR}{FROM_NOW}
        {POLITE}{FAR}{FROM_NOW}
        {FROM_NOW}{FAR}{POLITE}
        {HEAD}{BEFORE_VERB}{LOOSE},?{NEAR}{OFTEN}
        (diz|dá|faz|põe|mostra|explica|responde|escreve|{VERBS_AR}[ae]|{VERBS_ER}[ae]){CLITIC},?{NEAR}{OFTEN}
        (?<!que )({VERBS_AR}e|{VERBS_ER}a|faça|diga|(?!de )dê|ponha|seja)( (me|o|a|os|as))? (sempre|toda vez
            |em todas as)
        {HEAD}((sempre|nunca|jamais)( mais)?|toda vez|por (regra|padrão|norma)|em regra
            |como regra),? {BEFORE_VERB}({INFINITIVE}|{FIRM}|em (português|inglês|euros|reais|metros))
        {HEAD}(sempre|nunca)( [^ ;]+){{1,8}},? {POLITE}
        {HEAD}(e |mas )*(nunca|jamais|nunca mais|não|não me|nem) (mais )?((me|o|a|os|as|lhe|te
            |nos) )*({VERBS_AR}i?es?|{VERBS_ER}as?|faça|faças|(?!de )dê|(?!des )dês|diga|digas|ponha|ponhas|seja
            |sejas|proponha|proponhas|traga|tragas|leia|esteja|vá|vás|{INFINITIVE})(?! (que|est[ea]|isso|rir))
        (nunca|jamais|nunca mais) ((me|o|a|os|as|lhe|nos) )*({VERBS_AR}i?es?|{VERBS_ER}as?|faça|faças|(?!de )dê
            |(?!des )dês|diga|digas|ponha|ponhas|proponha|traga)
        {HEAD}(evite|evita|evites|evitar)( (de|sempre|os?|as?|todo\w*|toda\w*|qualquer|usar|\w+[aei]r))
        {WHENEVER}{FAR}{COMES_UP}(( [^ ;]+){{0,14}}?[,:] ((então|por favor|se faz favor|e|você|tu|aí|logo
            |já),? )*({BEFORE_VERB}{DEMAND}|{MADE}|{UNWANTED})|{FAR}{FIRM})
        {WHENEVER} {COMES_UP}(( [^ ;]+){{0,14}}?[,:] ((então|por favor|se faz favor|e|você|tu|aí|logo
            |já),? )*({BEFORE_VERB}{DEMAND}|{MADE}|{UNWANTED})|{FAR}{FIRM})
        (sempre que|toda (a )?vez que|todas as vezes que|cada vez que|para cada|em cada|a cada
            |em toda){PAUSE}{BEFORE_VERB}({LOOSE}|nada de|deve|deves|quero|(não|nunca) {INFINITIVE})
        {WHEN_YOU}({PAUSE}|{FAR}){BEFORE_VERB}((ela|ele|elas|eles) )?(deve|devem|tem (de|que)|têm (de|que)|precisa
            |precisam|{FIRM})
        {WHEN_YOU}{PAUSE}{BEFORE_VERB}({DEMAND}|{MADE}|{UNWANTED}|(o |a |os |as ){MADE})
        {WHEN_I}{PAUSE}{BEFORE_VERB}({FIRM}|só|deves?|quero|pode|(não|nunca) {INFINITIVE}|(usa|explica|fala|mostra
            |evita|cita|calcula|responde|corrige|traduz|diz|faz|dá))
        {WHEN_I}{FAR}({VERBS_AR}[ae]|{VERBS_ER}[ae]|diz|dá|faz){CLITIC}
        (sempre que|toda vez que|quando) eu (te |lhe )(for )?(pedir|perguntar|colar|mandar|enviar|escrever|falar
            |disser|passar|quiser)
        {HEAD}(para|em|com|sobre|nos|nas|aos) (tod[oa]s (os|as) |cada )?{MADE}( [^ ;]+){{0,3}}?, (eu )?(quero|queria
            |prefiro|sempre|nunca|{FIRM}{NEAR}{OFTEN}|(não|nunca) {INFINITIVE})
        ^(({POLITE}|ok|e|para mim|comigo|os?|as?|tod[oa]s|quanto (a|às|aos|ao)),? )*{MADE}( (de|do|da|dos|das|para|a
            |com|em|que você \w+|que me \w+)( \w+)?| (?!\w+m )\w+[oae]s?)?,? (sempre|nunca|em regra|por regra
            |por norma|por padrão|por defeito|exclusivamente|rigorosamente)(?! (fo[ir]|ador|gost))(,? (em|por|com|sem
            |para|pra|de|a|ao|à|no|na|nos|nas|sobre|até|abaixo|entre|o|a|os|as|um|uma|brev\w+|curt\w+|complet\w+|só
            |e só|antes|depois|\d+|muito|pouco|simples|fáceis|vegan\w+|vegetarian\w+|máximo|traduzid\w+|escrit\w+)
            |\w+\W*$|,)
        ^(({POLITE}|e|os?|as?|tod[oa]s),? )*{MADE}{FAR}(deve|devem|têm (de|que)|tem (de|que)|precisam|vão|vai)( ser
            | vir| estar)? (sempre|nunca|não|no máximo)
        (já )?não (quero|queria|desejo|suporto|aguento|me interessa|gosto de|preciso de|preciso)( mais
            | nunca)* (ouvir|ler|ver|receber|encontrar|ter|saber de|respostas|que você|que tu|que me
            |que o senhor)( (mais|nunca|de novo|dizer|usar|outr\w+|as?|os?|ess[ae]s?|est[ae]s?|aquel\w+|tant\w+
            |frases|palavras|coisas|como|tipo|de|no início|tod[oa]s|nenhum\w?|isso de))*,? ?(["«“„]_
            |(\w+ )?{UNWANTED}|{MADE})
        não (quero|queria|desejo|suporto) (nunca )?mais (ouvir|ler)(?! (minha|meu|falar|ele|ela|ninguém|o meu
            |a minha))
        {HEAD}(sem|nada de|zero|chega de|basta de|nenhum\w?|não a|não aos?|nunca( mais)?|jamais|para com|pare com
            |fora) ((os?|as?|ess[ae]s?|est[ae]s?|aquel\w+|tant\w+|tod[oa]s|mais|uso de|usar) )*(\w+ )?{UNWANTED}
        {HEAD}(sem|nada de|zero|chega de|basta de|nenhum\w?)(?! (problem|stress|pressa|medo|dúvida|drama|brincadeira
            |crise|mal))( [^ ;,]+){{1,5}},? (nunca|jamais|{POLITE}|{FROM_NOW})$
        (pare de|para de|deixa de|deixe de|pára de) (me|usar|colocar|\w+r)
        (me chama|me chame|chama-me|chame-me|pode me chamar|podes chamar-me|pode chamar-me|trata-me|trate-me|me trate
            |me trata|tratar-me por|me tratar|me chamar|nos tratarmos|tratamo-nos|usa o tu|por tu|por você
            |use (o )?(você|senhora?))(?! (quando|amanhã|um|uma|mais tarde|depois|às))
        {HEAD}(comigo|para comigo|para mim)( [^ ;]+){{0,6}}? (seja|(?!se )sê|fale|fala|use|usa|pode|podes|deve
            |nada de)
        {HEAD}(seja|(?!se )sê|fique|fica|fale|fala|use|usa|pode (ser|usar|falar)|podes (ser|usar|falar)|escreve
            |escreva)( [^ ;]+){{1,5}}? comigo
        (quero|queria|prefiro|preferia|gostaria|gostava|desejo|exijo|espero|adoraria|peço-te|peço-lhe|peço|preciso
            |faço questão|seria bom|agradecia|agradeço),?( de)?( que| se)? ((você|tu|o senhor|a senhora) )?((não|me|o
            |a|os|as|lhe|te|sempre|nunca|jamais|toda vez) )*({FIRM}|{INFINITIVE}|\w+(ass|ess|iss)es?|\w+(ass|ess
            |iss)em|fosses?|(as |os )?((suas|tuas) )?{MADE})({FAR}|,? ?){OFTEN}
        (quero|queria|prefiro|preferia|gostaria|gostava|desejo|peço|preciso|agradecia|espero) (de )?que ((você|tu
            |o senhor|a senhora) )?((não|me) )*(sempre|nunca|jamais|toda vez){FAR}\w+
        (quero|prefiro|gostaria|preciso) que (você |tu |me |não |sempre |não me )*(responda|respondas|fale|fales
            |escreva|use|uses|chame|trate|(?!de )dê|explique|seja|diga|utilize|corrija)
        (quero|queria|prefiro|gostaria de|gostava de) ((sempre|só|somente|apenas) )+((as|os|a|o|ter|receber) )*((suas
            |tuas) )?{MADE}
        (quero|queria|prefiro|gostaria de|gostava de) ((as|os|a|o|ter|receber) )*((suas
            |tuas) )?{MADE}( [^ ;]+){{0,4}}? (sempre|toda vez)
        (você |tu )?(deve|deves|devia|devias|deverá|pode|podes|podia|poderia|tem que|tem de|tens de) (sempre|nunca
            |toda vez)( me)? {INFINITIVE}
        (pode|podes|poderia|deves|tens de) {INFINITIVE} (sempre|toda vez)
        (de uma vez por todas|vale (para |pra )?sempre|fica (já )?(assente|combinado)|regra (fixa|geral|única)
            |para todas as (próximas )?(conversas|respostas|mensagens|vezes)|pedido fixo|para todos os textos|(nova
            |outra) regra|regra nova|como regra|instrução (fixa|permanente)|combinado)(?=( [^ ;:]+){{0,5}}:)
        {HEAD}(lembre-se|lembra-te|se lembre|lembre|lembra|tenha em mente|leve em conta|tem em conta|não esqueça
            |não se esqueça|não te esqueças|anote|anota|guarde|guarda|grave)( disso| isso| aí| sempre)?( de que| que
            | de| sempre|:)
        (nas suas respostas|nas tuas respostas|suas respostas|tuas respostas|nas respostas|em suas respostas)
        {HEAD}(responda|responde|fale|fala|escreva|escreve) (sempre |me |por favor )?(em|com) (português|inglês
            |frases curtas|poucas palavras)
        (regra nova|nova regra|como regra|por regra)
        (sempre|nunca) em (português|inglês|reais|euros|quilômetros|metros|gramas)
    """,
    one_off=rf"""
        (de|como) sempre
        (próxima|próximo|seguinte|d?esta vez|dessa vez|(a |n|d)?est[ea] (?!momento|tipo)\w+|(n|d)?ess[ea] (pergunta
            |texto|frase|mensagem|preço|e-mail|email|vez|lista|receita|código|parágrafo)|a esta|a este|só (por )?hoje
            |só amanhã|por hoje|por enquanto|por agora|a seguir|aqui embaixo|abaixo|amanhã|hoje à (noite|tarde)|ontem
            |só uma vez|nesta|um minuto)
        ^(se (puder|puderes|tiver tempo|tiveres tempo|quiser|quiseres|der|não se importa|conseguir)|quando (puder
            |puderes|tiver tempo|terminar|acabar))
        (lembra|lembras|lembra-se) (quando|como|daquele|daquela|de quando|do que|da)
        (pirata|personagem|faz de conta|finja|finge|imagina|imagine|vamos fingir)
        ^(e |mas |porém |aqui )*((o |a |os |as )?{MINE} (\w+ )?{PEOPLE}|o (chefe|professor|médico|nutricionista)
            |a (professora|médica)|todo mundo|toda a gente|ele|ela|eles|elas|mamãe|papai
            |as pessoas)( [^ ;,]+){{0,3}}? (diz|dizem|diz-me|dizia|repete|repetia|quer|queria|pede|insiste|exige
            |exigem|grita|manda|lembra|escreve|chama|chamava|fala|falava|usa|tem|é|me|nunca|sempre)
        (n|d|à |a |em |para )?(o|a)? ?(nossa?|minha|meu|sua) (equipe|equipa|time|escritório|empresa|firma|escola
            |turma|departamento|grupo|trabalho|casa|família|academia|condomínio|faculdade)
        (no|na|lá no|lá na) (trabalho|escritório|empresa|escola|faculdade)( [^ ;]+){{0,6}}? (dev\w+|temos|tem|tudo
            |todo\w*|se)
    """,
    sure={
        "constraint": rf"""
            (sou|tenho|sofro|fui diagnosticad[ao]|me diagnosticaram|descobri que tenho|descobri que sou|estou) ~ {ILL}
            (não posso|não devo|o médico me proibiu|o médico proibiu|fui proibid[ao]|estou proibid[ao]) ~ (comer
                |beber|tomar|carregar|levantar|correr|gastar|pagar|dirigir|conduzir|voar|fazer esforço|álcool|sal
                |açúcar|provar)
            (não como|nunca como|não bebo|não tomo|parei de comer|deixei de comer|não consumo|evito
                |cortei) ~ (carne|porco|peixe|frutos do mar|camarão|marisco|glúten|laticínios|lacticínios|leite|ovos?
                |álcool|açúcar|nada|pão|trigo|cafeína|animal|sal|fritura*|carboidrato*|refrigerante)
            (tenho|morro de|me dá|dá-me|sinto) ~ (medo|pânico|pavor|terror|fobia|alergia|horror|nojo|reação)
            (me faz|faz-me|me fazem|me cai|cai-me) ~ mal
            {MINE} (orçamento|limite|teto)
            (gastar|pagar) ~ (mais de|mais do que|no máximo)
            (sigo|faço|estou numa|estou em) ~ dieta
            (como|me alimento) (\S+ )?(sem glúten|sem lactose|kosher|halal)
            (tomo|uso|injeto) ~ (insulina|remédio|remédios|medicação|medicamento*|antidepressivos?|anticoagulante*
                |aparelho auditivo|bengala|prótese|cortisona|ritalina)
            (tenho|operei|me machuquei|rompi|quebrei|lesionei|fui operad[ao]) ~ (joelho|coluna|costas|hérnia
                |quadril|coração|ombro|menisco|ligamento|lombar)
            (fico|passo) ~ (enjoad[ao]|mal|tont[ao])
        """,
        "identity": rf"""
            (sou|trabalho como|trabalho de|atuo como|virei|era) (um |uma |a |o )?(\S+ )?(\S+ )?{JOBS}
            (agora|desde \S+) (eu )?(sou|trabalho|dou aula|dou aulas)
            (estudo|faço faculdade|faço mestrado|faço doutorado|curso|estou cursando|estou estudando
                |estou a estudar|estou fazendo (um |uma |o )?(mestrado|doutorado|faculdade|curso|pós)|dou aula
                |dou aulas|leciono|me formei|formei-me|sou formad[ao])
            (sou|estou) (casad[ao]|solteir[ao]|divorciad[ao]|viúv[ao]|separad[ao]|aposentad[ao]|reformad[ao]
                |desempregad[ao]|de licença|mãe solteira|mãe solo|canhot[ao]|filh[ao] únic[ao]|gay|lésbica|católic[ao]
                |evangélic[ao]|muçulman[ao]|ateu|ateia|judeu|judia|bilíngue)
            (falo|minha língua materna|meu idioma) ~ (inglês|francês|português|espanhol|alemão|italiano|japonês
                |línguas|idiomas|é)
            (faço|estou no|curso) (o )?(primeiro|segundo|terceiro|quarto|quinto|último) (ano|semestre|período)
            (nasci|cresci|fui criad[ao]|me mudei|mudei-me|nos mudamos|mudámo-nos)
            {MINE} (sobrenome|apelido|profissão|trabalho|endereço|morada|número|telefone|e-mail|signo|altura
                |tamanho|cpf) (é|era|são)
            (meço|peso|calço|visto|uso tamanho) \S+
            (fui promovid[ao]|mudei de emprego|troquei de emprego|comecei a trabalhar|abri (um|uma|minha|meu)
                |pedi demissão)
        """,
        "person": rf"""
            (tenho|temos|adotei|adotamos|adotámos|esperamos|estamos esperando
                |ganhei) (\S+ )?(\S+ )?(\S+ )?({PEOPLE}|{PETS})
            {MINE} ~ (se chama|chama-se|se chamam)
            (sou|somos) (a |o )?(mãe|pai|avó|avô|tia|tio|madrinha|padrinho) (de|da|do)
            (estou|está) grávida
            o nome d[aoe]s? {MINE}
        """,
        "preference": rf"""
            (eu |a gente )?(adoro|amo|odeio|detesto|prefiro|curto|gosto|não gosto|não suporto|não aguento
                |não curto|sou fã|sou muito fã|sou apaixonad[ao]|sou viciad[ao]|sou louc[ao]|sou mais de|gosto muito
                |adoramos|amamos|gostamos|tenho horror|tenho paixão|desfruto|não tolero|não sou fã|não sou de)
            {MINE} (\w+ )?(\w+ )?(favorit[ao]s?|preferid[ao]s?|hobby|passatempo|paixão)
            (costumo|costumamos|tenho o hábito|tenho o costume|tenho mania)
            (nunca|sempre|jamais|quase nunca|quase sempre) (me )?(como|bebo|tomo|durmo|vejo|leio|ouço|escuto|uso
                |vou|faço|compro|saio|viajo|pago|cozinho|trabalho|ponho|peço|corro|acordo|almoço|janto)
            (tomo|bebo|como|corro|nado|leio|vou|saio|faço|treino|caminho|medito|acordo|durmo|jogo|vamos|cozinho
                |pedalo|almoço|janto|surfo|remo) ~ (sempre|todo|toda|todos os|todas as|cada|diariamente|de manhã
                |à noite|sem açúcar|pur[ao]|vezes (por|na)|antes d[aoe]|aos (sábados|domingos)|às \w+|nos fins)
            (todo|toda|todos os|todas as|cada|aos|às) ({DAYS}|dias?|manhãs?|noites?|fins? de semana
                |finais de semana|semana|verão|ano|tarde) ~ (vou|vamos|corro|nado|jogo|saio|faço|tenho|treino|leio
                |como|cozinho|eu|a gente|me)
            (não fumo|não vejo televisão|não danço|não dirijo|acordo cedo|durmo tarde)
            (não sou|sou) (muito |mais |bem )?(fã|chegad[ao]|pessoa de|d[aoe] \w+|matutin[ao]|notívag[ao])
        """,
        "possession": rf"""
            (tenho|temos|dirijo|conduzo|guio|uso|utilizo|comprei|compramos|comprámos|herdei|vendi|vendemos
                |acabei de comprar|ganhei|alugo|alugamos|troquei) (\S+ )?(\S+ )?(\S+ )?(\S+ )?{THINGS}
            (toco|aprendo|estou aprendendo|estou a aprender)( a tocar)? (\S+ )?(violão|guitarra|piano|violino
                |bateria|baixo|flauta|sax*|trompete|acordeão|sanfona|ukulele|cavaquinho|violoncelo|clarinete|teclado
                |gaita|pandeiro|viola)
            (programo|trabalho com|desenvolvo|uso|utilizo|edito|escrevo) (\S+ )?(\S+ )?(em|com|no)? ?(python|java*
                |rust|php|c\+\+|linux|windows|mac|excel|photoshop|figma|go|kotlin|swift|ruby|react|r|matlab|notion
                |obsidian|vim|ubuntu|android)
            (programo|coleciono|fotografo)
            trabalho com (um|uma|meu|minha)
            {MINE} (\S+ )?{THINGS} (é|tem|são|está)
            (vendi|vendemos|troquei|doei) (o|a|meu|minha|nosso|nossa|de)
            (ando|vou) de (moto|bicicleta|bike) (para|pro|pra)
        """,
        "project": rf"""
            (estou|estamos|tô) (\S+ )?(escrevendo|preparando|montando|construindo|reformando|planejando
                |organizando|desenvolvendo|aprendendo|treinando|juntando|economizando|restaurando|gravando|criando
                |guardando|a (escrever|preparar|construir|planear|organizar|aprender|treinar|poupar|remodelar
                |desenvolver|tirar)|tirando|fazendo (uma|um|a|o|meu|minha) (tese|tcc|app|site|curso|reforma|projeto
                |dissertação|documentário|monografia))
            (escrevo|preparo|estudo|treino|junto dinheiro|economizo|poupo|me preparo) (\S+ )?(\S+ )?(tese|concurso
                |romance|livro|maratona|para|pra|exame|vestibular|enem|tcc)
            (em|no|na|para|a partir de|até|antes de|no fim de|no final de|no começo de|este|esta|ano|mês|semana
                |dia) (\S+ )?(\S+ )?({MONTHS}|próxim[ao]|que vem|ano|{DAYS}|\d+ de \w+|\d+) ~ (vou|vamos|me mudo
                |nos mudamos|caso|casamos|me caso|começo|começamos|tenho|temos|viajo|viajamos|opero|defendo|entrego
                |voo|quero|queremos|abro|corro|faço|me aposento|mudamos|mudo)
            (me mudo|mudo-me|vou|vamos|quero|queremos|pretendo|pretendemos|penso em|planejo|planejamos|começo
                |viajo|viajamos|caso|casamos|nos casamos|tenho que entregar|entrego|opero|me formo
                |me aposento) ~ (em ({MONTHS})|(no )?ano que vem|(no )?mês que vem|semana que vem|no próximo \w+
                |na próxima \w+|este ano|esse ano|neste (ano|verão)|antes de|em \d{{4}}|dia \d+|no fim d[oe]
                |no final d[oe]|até)
            {MINE} (objetivo|meta|plano|sonho|projeto|propósito) (é|para|de|deste)
            (tenho|temos) (\S+ )?(consulta|prova|exame|entrevista|casamento|cirurgia|operação|audiência|voo
                |reunião|apresentação|médico|dentista|defesa|compromisso) ~ (dia|no|na|em|às|com|n[ao])
            (nos casamos|vou me casar|vamos nos casar|vou casar|me inscrevi|inscrevi-me|me matriculei|nos inscrevemos)
            (quero|queremos|gostaria de|tento|estou tentando|pretendo) (aprender|parar de|deixar de|emagrecer
                |perder \S+ quilos|correr (um|uma)|montar|abrir|comprar (uma|um) (casa|apartamento)|me mudar|mudar
                |escrever (um|uma) (romance|livro)|tirar)
            (o |a )?(nosso |meu |minha |nossa )?(casamento|mudança|prova|entrega|cirurgia|voo|consulta|defesa) (é
                |será|vai ser|ficou)
        """,
        "event": r"""
            (passei n[oa]|ganhei o|ganhei a|me formei|me casei|casei-me|nos casamos|sofri um acidente
                |perdi o emprego|fui demitid[ao]|despediram-me)
        """,
    },
    slots={
        "name": r"""
            (me chamo|chamo-me|meu nome é|o meu nome é|meu nome completo é) VALUE
        """,
        "age": r"""
            (tenho|fiz|faço|completei) (já |agora )?(\S+ e )?\S+ anos$
            (tenho|fiz|completei) (já |agora )?(\S+ e )?\S+ anos e
            tenho \d+ anos
        """,
        "birthday": r"""
            (meu aniversário|o meu aniversário|meus anos)
            (faço aniversário|faço anos)
        """,
        "home": r"""
            (moro|moramos|vivo|vivemos|resido) (\S+ )?(\S+ )?(em|no|na|nos|nas|perto de) VALUE
            (me mudei|mudei-me|nos mudamos|mudei|mudamos) (para|pra|pro) VALUE
        """,
        "origin": r"""
            (sou|venho|somos) (natural |originalmente )?(de|do|da) VALUE
        """,
        "employer": r"""
            trabalho (\S+ )?(\S+ )?(em|no|na|para|numa|num) VALUE
        """,
        "job": rf"""
            (trabalho como|trabalho de) VALUE
            sou (um |uma )?{JOBS}
        """,
        "diet": r"""
            (sou|virei|me tornei|tornei-me|somos) (\S+ )?(vegetarian[ao]|vegan[ao]|pescetarian[ao])
        """,
        "car": r"""
            (dirijo|conduzo|tenho|comprei) (\S+ )?(\S+ )?(\S+ )?(carro|fusca|gol|uno|onix|hb20|palio|corsa|fiat
                |ford|chevrolet|renault|clio|peugeot|toyota|corolla|hyundai|kia|jeep|volkswagen|tesla|bmw|audi
                |mercedes)
        """,
        "form of address": r"""
            (me chama|me chame|chama-me|chame-me|pode me chamar
                |podes chamar-me) (só |apenas |por favor )?(de |por )?VALUE
        """,
    },
    hints={
        "constraint": rf"""
            (vegetarian[ao]|vegan[ao]|halal|kosher|proibid[ao]|doente|joelhos?|coluna|costas|coração|remédios?
                |medicação|pressão|jejum|tontura*|no máximo|não posso|não devo|medo|sem (glúten|açúcar|lactose|carne
                |sal))
            {ILL}
            (orçamento|dor|lesão|diagnóstico|medo|fobia)
        """,
        "identity": r"""
            (trabalho|estudo|nasci|anos|sou d[eoa]|venho d[eoa]|dou aulas?|dirijo|turno|casad[ao]|divorciad[ao]
                |solteir[ao]|canhot[ao]|língua materna|nacionalidade|estágio|meio período|part-time|departamento
                |empresa|escola|faculdade|clínica|hospital|prefeitura|câmara|associação|voluntári[ao]|moro|vivo)
            (profissão|carreira|concurso|empresa|universidade|faculdade|escola|hospital|turno)
        """,
        "person": rf"""
            {MINE} (\w+ )?{PEOPLE}
            {MINE} (\w+ )?{PETS}
        """,
        "preference": r"""
            (como|bebo|tomo|ouço|escuto|leio|vejo|assisto|cozinho|corro|nado|danço|viajo|durmo|fumo|pinto|desenho
                |canto|tricoto|costuro|escalo|pesco|medito|adoro|amo|gosto|odeio|prefiro|acordo|evito|café|chá|música
                |esporte|desporto|ioga|yoga|livros|séries|filmes|comida)
            (como|bebo|tomo|leio|ouço|escuto|vejo|jogo|corro|nado|cozinho|saio|durmo|acordo|fumo|almoço|janto)
        """,
        "possession": rf"""
            (tenho|dirijo|conduzo|uso|toco|alugo|crio|coleciono|restauro|programo|celular|telemóvel|fairphone
                |samsung|trailer|assinatura|óculos|lentes|máquina de costura|aquário|abelhas|galinhas|horta|prancha
                |moto)
            {THINGS}
        """,
        "project": r"""
            (aprendo|aprendendo|preparo|preparando|treino|treinando|junto|juntando|economizando|estudando|mudo
                |mudar|caso|casar|construindo|reformando|organizo|organizando|carteira|carta de condução|curso
                |aulas de|maratona|prova*|concurso|vestibular|tese|tcc|mestrado|livro|romance|voo|cirurgia|até
                |antes d[eo]|em (janeiro|fevereiro|março|abril|maio|junho|julho|agosto|setembro|outubro|novembro
                |dezembro)|neste verão|ano que vem|mês que vem|próxim[ao]|a partir de (janeiro|fevereiro|março|abril
                |maio|junho|julho|agosto|setembro|outubro|novembro|dezembro))
            (projeto|objetivo|meta|plano|casamento|mudança|prova|tese|concurso|consulta)
        """,
    },
    lasting=rf"""
        (sempre|nunca|jamais|normalmente|geralmente|habitualmente|principalmente|sobretudo|a vida toda
            |a vida inteira|toda a vida|diariamente|desde sempre|desde criança|desde pequen[ao]|desde menin[ao])
        (todo|toda|todos os|todas as|cada) \w+
        (há \S+ (anos|meses)|faz \S+ anos|desde os \S+|desde \d{{4}}|desde que|há anos|há muito|desde ({MONTHS}))
        (aos|às) {DAYS}
    """,
    passing=r"""
        (agora mesmo|neste momento|nesse momento|hoje|esta noite|hoje à noite|esta tarde|esta manhã|hoje de manhã
            |ontem|anteontem|amanhã|acabei de|agorinha|há pouco|agora há pouco|esta semana|essa semana|neste instante)
    """,
    blockers=r"""
        se (eu |a gente |nós )?(fosse|tivesse|morasse|vivesse|pudesse|soubesse|trabalhasse|estivesse|quisesse
            |fôssemos|tivéssemos|tiver|for|conseguisse)
        \w+(aria|eria|iria|aríamos|eríamos|iríamos)
        (tomara|quem dera|estava pensando se|me perguntava|me pergunto|pergunto-me|não sei se|suponha|suponhamos
            |imagina|imagine|digamos que|será que|fico pensando se)
        (diz|disse|dizia|dizem|contou|me falou|falou|jura|afirma|segundo|comentou|soltou|vive dizendo)( que| ~:|:)
        (conto|romance|história|poema|música|roteiro|filme|peça|jogo) (em que|onde|sobre|no qual|na qual|que)
        (estou|estamos|ando|tô) (procurando|à procura|a procurar|buscando)
        (procuro|busco|preciso de) (um|uma|algum|alguma|ideias|ajuda|dicas|sugestões)
        (brincadeira|é brincadeira|tô brincando|ironia|sonhei|no sonho)
        (esqueci o que|não encontro|não acho)
    """,
    requests=r"""
        ^(por favor,? |oi,? |olá,? |ok,? |e |bom,? |então,? )*(escreve|escreva|me escreve|me escreva|escreve-me
            |faz|faça|me faz|me dá|me dê|dá-me|dê-me|diz|diga|me diz|me diga|diz-me|explica|explique|me explica|ajuda
            |ajude|me ajuda|traduz|traduza|procura|procure|conta|conte|me conta|recomenda|recomende|me recomenda
            |resume|resuma|corrige|corrija|calcula|calcule|redige|redija|gera|gere|cria|crie|sugere|sugira|me sugere
            |compara|compare|responde|responda|mostra|mostre|converte|converta|revisa|revise|analisa|analise|lista
            |liste|me passa|me manda|me indica)
        ^(você pode|pode|podes|poderia|você sabe|sabe|sabes|você conhece|conhece|tem como|dá para|dá pra
            |é possível|existe|o que|que|como se|como é|como faço|como eu|quando|onde|qual|quais|quanto|quanta|quantos
            |quantas|quem|por que|porque|porquê|será)
    """,
    play=r"""
        (você|tu) (agora )?(é|és|será) (agora )?(um|uma|meu|minha|o|a) \w+ ~ (eu sou|e eu|comece|começa)
        (agora você é|você agora é|agora és|faz de conta|faça de conta|finja|finge|imagine que|imagina que
            |vamos fingir|aja como|atue como|interprete)
        (escreve|escreva|me escreve|inventa|invente|conta|conte|me conta|faz|faça|compõe|crie) (um
            |uma) (\S+ )?(conto|poema|história|música|canção|piada|diálogo|cena|monólogo|discurso|romance|letra)
        (escrevendo|escrevo|escrevi|a escrever) (um|uma|meu|minha) (\S+ )?(conto|romance|história|poema|roteiro
            |peça|livro) (em que|onde|sobre|no qual|na qual|que)
    """,
    private=r"""
        (não (lembre|guarde|grave|anote|memorize|memorizes|guardes) (disso|isso|isto|nada)|fica entre nós
            |entre nós|esqueça (isso|o que)|esquece (isso|isto|o que)|em segredo|confidencial)
        (ignore|ignora|esqueça|esquece|desconsidere) ~ (instruções|regras|prompt|orientações)
    """,
    paste=r"""
        (traduz|traduza|corrige|corrija|melhore|melhora|resume|resuma|reescreve|reescreva|revisa|revise|reformule
            |texto|frase|e-mail|parágrafo|carta|mensagem)
    """,
    over=r"""
        (já não|não (\S+ )?(\S+ )?(\S+ )?(mais)|nunca mais|parei de|deixei de|paramos de|deixamos de|parou de
            |deixou de)
        (vendi|vendemos|vendeu|fui demitid[ao]|pedi demissão|larguei|terminei com|me divorciei|nos separamos
            |morreu|faleceu|cancelei|desisti|doei|abandonei)
    """,
    change=r"""
        (agora|atualmente|ultimamente|recentemente|em vez de|ao invés de|no lugar de|mudei|mudamos|troquei|mudou
            |me mudei|correção|desculpa|na verdade|na realidade|me enganei|nov[ao]s?|finalmente|virei)
    """,
    present=r"""
        (sou|estou|tô|tenho|moro|vivo|trabalho|estudo|faço|vou|uso|jogo|toco|como|bebo|prefiro|costumo|posso|tomo
            |corro|leio|ouço|escuto|dirijo|conduzo|ando|falo|saio|durmo|cozinho|nado|programo|coleciono|cuido|dou
            |evito|aprendo|preparo|treino|poupo|pinto|canto|escrevo|viajo|pratico|sofro|fumo|pago|ganho|participo
            |ensino|somos|estamos|temos|moramos|vivemos|vamos|fazemos|usamos|queremos|esperamos|surfo|pedalo|crio
            |planto)
        (eu|nós|a gente) (\S+ )?\w+
        (o |a |os |as )?(meu|minha|meus|minhas|nosso|nossa) (\S+ )?(\w+ )?(é|são|está|estão|tem|têm|se chama
            |chama-se|começa|fica|vai)
    """,
    vague=r"""
        (pergunta|dúvida|problema|ideia|fome|sede|vontade|tempo|erro|obrigad[ao]|desculpa|razão|ajuda|impressão
            |cansad[ao]|content[ae]|feliz|triste|brav[ao]|certeza|pront[ao]|surpres[ao]|decepcionad[ao]|a caminho
            |em casa|no ônibus|no trem|no metrô|atrasad[ao]|trânsito|perdid[ao]|entediad[ao])
        (acho|penso que|espero que|entendo|sei|vejo que|procuro|preciso|queria|gostaria|estava|tinha|fui|era
            |acabei|digo|te mando|parece|me pergunto|esqueci)
    """,
    past=r"""
        \w+(ei|ou|aram|eram|iram)
        (tenho|tinha|temos) \w+(ado|ido)
    """,
)
