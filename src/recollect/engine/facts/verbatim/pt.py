"""Portuguese, of Brazil and Portugal."""

from __future__ import annotations

from recollect.engine.facts.verbatim.table import PhraseTable

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
    instruction=r"""
        (de agora em diante|a partir de agora|daqui pra frente|daqui para a frente|daqui em diante|doravante
            |a partir de hoje|de hoje em diante|no futuro)
        (me chama|me chame|chama-me|chame-me|pode me chamar|podes chamar-me|trata-me|me trate|me trata)
        ^(por favor,? )?(me )?(responda|responde|responda-me|responde-me|escreva|escreve|use|usa|utilize|mostre
            |mostra|explique|explica|fale|fala|coloque|faça|pergunte|comece|termine|calcule|evite|corrija|resuma|dê|dá
            |assine) ~ (sempre|nunca|jamais|toda vez|por padrão)
        (sempre que|toda vez que|quando) eu (te |lhe |for )?(pedir|perguntar|colar|mandar|enviar|escrever|falar
            |disser|passar|quiser)
        (nunca|jamais|não|nunca mais) (me )?(use|uses|utilize|responda|respondas|escreva|escrevas|coloque|ponha
            |ponhas|faça|faças|dê|dês|mande|mandes|envie|diga|digas|chame|chames|recomende|sugira|sugiras|proponha
            |ofereça|fale|fales|pergunte|repita|inclua|comece|termine|mencione|explique|trate|trates|traduza|indique)
        (pare de|para de|deixa de|deixe de) (me|usar|colocar|\w+r)
        (lembre-se|lembra-te|se lembre|lembre|lembra|tenha em mente|leve em conta|tem em conta|não esqueça
            |não se esqueça|não te esqueças|anote|anota|guarde|guarda|grave)( disso| isso| aí)?( de que| que| sempre
            |:)
        (quero|prefiro|gostaria|preciso) que (você |tu |me |não |sempre |não me )*(responda|respondas|fale|fales
            |escreva|use|uses|chame|trate|dê|explique|seja|diga|utilize|corrija)
        (nas suas respostas|nas tuas respostas|suas respostas|tuas respostas|nas respostas|em suas respostas)
        (responda|responde|fale|fala|escreva|escreve) (sempre |me |por favor )?(em|com) (português|inglês
            |frases curtas|poucas palavras)
        (regra nova|nova regra|como regra|por regra)
        (sempre|nunca) em (português|inglês|reais|euros|quilômetros|metros|gramas)
        (sem|nada de) (emojis?|emoticons|listas|tópicos|enrolação|exclamações|negrito|gírias)
    """,
    one_off=r"""
        (próxima|próximo|seguinte|desta vez|dessa vez|a esta|a este|essa pergunta|esta pergunta|este texto
            |esse texto|este e-mail|esse e-mail|só hoje|por hoje|por enquanto|a seguir|nesta|nessa frase|esta frase
            |essa frase)
        (lembra|lembras|lembra-se) (quando|como|daquele|daquela|de quando|do que|da)
        (pirata|personagem|faz de conta|finja|finge|imagina|imagine)
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
