"""The words that instructions to an assistant are made of, by concept, in several languages.

Each concept lists English, German, French, Spanish, Portuguese, Italian, Dutch, Slavic and Turkish forms as far as
they are covered. `PHRASES` holds what is not one word between spaces: several words, and scripts without spaces.
"""

from __future__ import annotations

CONCEPTS = {
    "IGNORE": """
        ignore ignoring ignored ignores disregard disregarding disregards disregarded forget forgetting forgot
        override overriding overrule bypass bypassing neglect abandon erase unlearn nullify circumvent
        ignoriere ignorieren ignoriert vergiss vergesst vergessen missachte missachten überschreibe umgehe
        verwirf streichen ignorez ignorer oublie oubliez oublier négligez outrepasse contourne ignora ignorar
        ignoren olvida olvide olvidar olviden omite descarta ignorem esqueça esqueca esquece esquecer
        desconsidere ignorare ignorate dimentica dimenticate dimenticare trascura negeer negeren vergeet
        vergeten zignoruj ignoruj zapomnij pomiń zanemari zaboravi zaboravite ignoriraj игнорируй игнорируйте
        игнорировать проигнорируй забудь забудьте забыть unut unutun yoksay
    """,
    "PREVIOUS": """
        previous previously prior above earlier preceding foregoing before beforehand former past initial
        initially original originally beginning vorherigen vorherige vorigen bisherigen bisherige obigen obige
        vorangegangenen vorhergehenden zuvor davor bisher ursprünglichen ursprüngliche anfänglichen früheren
        précédentes précédents précédente précédent antérieures dessus initiales avant anteriores anterior
        previas previa previos previo antes arriba iniciales inicial originales prévias iniciais acima
        precedenti precedente sopra iniziali vorige eerdere bovenstaande voorgaande poprzednie poprzednich
        powyższe prethodne предыдущие предыдущую предыдущее прошлые прежние вышеуказанные önceki yukarıdaki
    """,
    "ALL": """
        all any every everything anything everthing whole full alle alles allen aller sämtliche sämtlichen
        gesamten tout toute tous toutes todo todos toda todas qualquer tutto tutta tutti tutte wszystko
        wszystkie sve svaku все всё всех tüm bütün
    """,
    "RULES": """
        instruction instructions directive directives rule rules prompt prompts guideline guidelines commands
        orders programming assignment assignments tasks restrictions constraints anweisung anweisungen
        instruktionen regel regeln vorgaben aufgaben aufträge befehle richtlinien angaben consigne consignes
        règle règles instrucción instrucciones reglas indicaciones órdenes directrices instrução instruções
        instrucoes regras ordens diretrizes istruzione istruzioni regole instructies regels opdrachten
        instrukcje instrukcji polecenia zasady instrukcije pravila инструкции инструкций инструкцию указания
        команды правила talimat talimatları talimatlar kuralları
    """,
    "TASK": """
        task question topic challenge assignment job mission aufgabe frage auftrag thema herausforderung tâche
        tarea pregunta tarefa compito taak задача görev
    """,
    "TEXT": """
        text texts conversation conversations message messages context content information chat words sentence
        document documents passages articles data prompt texte nachricht kontext inhalt informationen gespräch
        dokumente ausführungen contexte contexto mensajes mensagens texto messaggi testo контекст текст
    """,
    "WORDING": "text texts conversation words wording",
    "TOLD": """
        told said discussed given received instructed programmed trained gesagt gesagte besprochen dit digo
        dicho dije
    """,
    "YOU": """
        you you're youre you've you'll u ya du dich dir sie ihnen ihr euch tu te toi vous tú usted você voce
        lei jij ты вы sen siz
    """,
    "YOUR": """
        your ur yourself dein deine deinen deinem deiner ihre ihren ton ta tes votre vos su sus seu sua tuo
        tua jouw uw твой твои ваши
    """,
    "SAY": """
        say says print output write respond reply answer state repeat echo type speak sag sage sagen sagst
        schreib schreibe schreiben antworte antworten antwortest drucke gib wiederhole beantworte dis dites
        écris écrivez réponds répondez di diga dices decir escribe escriba responde responda repite imprime
        escreva dici scrivi rispondi ripeti zeg schrijf antwoord powiedz napisz скажи скажите напиши ответь
        повтори söyle yaz
    """,
    "REVEAL": """
        show reveal display expose disclose leak share give provide tell list dump recite summarize translate
        encode repeat copy print output confirm zeig zeige zeigen verrate nenne offenbare gib geben teile
        übersetze drucken montre montrez révèle donne donnez muestra muéstrame revela dame mostra mostre
        revele dê compartilhe dimmi mostrami rivela toon geef pokaż podaj pokaži покажи раскрой göster
    """,
    "PROMPT": """
        prompt prompts preprompt system-prompt prompt-text prompt-texte initialization eingabeaufforderung
        промпт
    """,
    "SYSTEM": "system systems hidden secret internal confidential developer underlying système sistema система",
    "MODEL": """
        chatgpt gpt gpt-3 gpt-4 gpt3 gpt4 chatbot ai al llm openai anthropic claude gemini bard copilot
        assistant bot ki sprachmodell ia asistente assistente asistent нейросеть ассистент
    """,
    "MODE": "mode modes modus modo modalità режим",
    "JAILBREAK": """
        jailbreak jailbroken jailbreaking persona personas sudo godmode unfiltered uncensored unrestricted
        amoral immoral nonmoral unethical nsfw unlocked pwned hijacked prompt-injection
    """,
    "ALIAS": "dan stan dude aim",
    "ACT": """
        act pretend roleplay role-play impersonate simulate simulating emulate behave imitate mimic immerse
        agiere agieren auftreten verhalte imitiere agis comporte-toi actúa actua finge compórtate simula atue
        finja aja agisci fingi gedraag udawaj zachowuj притворись действуй davran
    """,
    "ARE": "are become be bist werden wirst sind es êtes eres é sei jesteś olacaksın will",
    "MUST": """
        will must shall should always never going have musst sollst müssen sollen werden dois devez debes
        deves devi moet
    """,
    "NOW": """
        now henceforth onwards onward nun jetzt fortan désormais maintenant ahora agora adesso nu teraz теперь
        отныне artık
    """,
    "NEW": "new neue neuen neuer nouvelle nouvelles nueva nuevas novas nova nuove nieuwe nowe nove новые новая yeni",
    "NEXT": "next following another different further nächste folgende folgenden weitere suivante siguiente seguinte",
    "STOP": "stop stopp halt achtung nevermind",
    "LIMITS": """
        restriction restrictions limits limitations limitation filter filters censorship ethics ethical
        ethically moral morals morality legality guidelines policies policy rules laws restricted bound norms
        moderation moderations einschränkungen zensur ethischen restricciones límites censura éthiques
    """,
    "FREE": """
        no not never without don't don doesn't cannot can't won't isn't aren't free freed broken zero
        regardless ohne nicht kein keine sans pas sin ningún sem senza bez без
    """,
    "REFUSE": """
        refuse refusal decline apologize apologise sorry comply abide adhere conform disclaimers disclaimer
        warnings denying
    """,
    "SECRET": """
        password passwords passcode passcodes passphrase credential credentials passwort kennwort contraseña
        senha parola wachtwoord hasło lozinka пароль пароля şifre
    """,
    "KEY": "key token code string phrase data bank birth balance",
    "WHAT": "what what's whats was wie quel quelle cuál qual quale wat какой",
    "THE": "the das der den le la el o il our ours unser notre nuestro nosso this diesem",
    "PRIVATE": """
        address birthday birthdate birth balance salary account bank residence live lives initials ssn medical
        kontostand name email color
    """,
    "USER": "user's user users nutzers benutzers utilisateur usuario usuário utente пользователь пользователя",
    "CREATE": """
        write compose create generate draft craft invent formulate schreibe schreib verfasse formuliere écris
        rédige escribe redacta escreva scrivi schrijf napisz напиши
    """,
    "WORK": """
        poem haiku limerick rhyme song lyrics rap joke essay story tale novel sonnet script screenplay slogan
        manifesto plea tweet gedicht aufsatz geschichte witz lied plädoyer poème blague histoire poema chiste
        cuento ensayo piada
    """,
    "DECODE": "decode decipher decrypt decoding decodiere entschlüssele décode descifra decodifica",
    "CIPHER": """
        base64 base32 base58 rot13 hex hexadecimal binary morse cipher ciphertext caesar atbash leetspeak leet
        l33t latin encoded encode encrypted backwards reverse reversed anagram interlace
    """,
    "IMAGINE": """
        hypothetical hypothetically imagine suppose theoretical theoretically fictional stell imagina imaginez
        assume
    """,
    "BOSS": """
        boss ceo administrator admin developer creator auditor god master superuser root chef president
        präsident presidente debug maintenance testing
    """,
    "I": "i i'm i've me my ich mir je j'ai suis yo soy eu sou io sono ik ja я",
    "ONLY": """
        only just solely exclusively simply always instead nur stattdessen immer einfach seulement toujours
        solo sólo siempre apenas sempre alleen tylko только sadece
    """,
    "START": "start begin starting beginning prefix preface end ending finish followed",
    "REPLY": """
        response responses reply replies answer answers output outputs antwort antworten réponse réponses
        respuesta respuestas resposta risposta antwoord ответ
    """,
    "CHARACTER": "character role roles rolle figur rôle papel ruolo personality persona ego",
    "KEEP": "break breaking stay stays remain remains leave bleiben fallen",
    "LOOK": "look use using according rely consider consult",
    "IN": "in into using with as",
    "SOURCES": "documents articles sources context knowledge dokumente artikel",
    "ALLOWED": "supposed allowed permitted able darfst",
    "PRAISE": """
        done performance congratulations excellent superbly gemacht leistung glückwunsch ausgezeichnet super
        gut good great okay ok
    """,
    "ASK": "how can should may do does could is why when wie kann soll darf comment peut puis cómo puedo",
}

PHRASES = {
    "do anything now": "jailbreak",
    "from this point": "now",
    "from here on": "now",
    "mot de passe": "password",
    "ab sofort": "now",
    "a partir de": "now",
    "à partir de": "now",
    "на этом": "now",
    "忽略": "ignore",
    "无视": "ignore",
    "無視": "ignore",
    "忘记": "forget",
    "忘掉": "forget",
    "忘れ": "forget",
    "之前": "previous",
    "以前": "previous",
    "上述": "previous",
    "上面": "previous",
    "前の": "previous",
    "これまで": "previous",
    "所有": "all",
    "すべて": "all",
    "全て": "all",
    "指令": "instructions",
    "指示": "instructions",
    "命令": "instructions",
    "规则": "rules",
    "ルール": "rules",
    "提示词": "prompt",
    "プロンプト": "prompt",
    "密码": "password",
    "パスワード": "password",
    "你的": "your",
    "あなたの": "your",
    "무시": "ignore",
    "잊": "forget",
    "이전": "previous",
    "모든": "all",
    "지시": "instructions",
    "명령": "instructions",
    "비밀번호": "password",
    "사용자": "user's",
    "अनदेखी": "ignore",
    "भूल जा": "forget",
    "पिछले": "previous",
    "निर्देश": "instructions",
    "पासवर्ड": "password",
    "تجاهل": "ignore",
    "السابقة": "previous",
    "التعليمات": "instructions",
    "कुंजी": "key",
}

MARKERS = """
    ignore disregard forget override bypass reveal system previous above prior earlier instructions instruction rules
    prompt guidelines restrictions everything password hidden secret initial repeat show print your
"""
"""Long or telling English words by which a cipher is recognised and letters without spaces are cut into words."""
