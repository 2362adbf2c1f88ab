"""Is a question's language told? Ours in 19 languages, and 5,612 English ones of the shared data.

    python benchmarks/tongues.py

Half, by turns, are for choosing `UNLIKELY`; the other half were looked at when it was chosen.
"""

from __future__ import annotations

import random

import corpora

from conspectus.answer.extractive import language_of

QUESTIONS = {
    "de": [
        "Wie entstehen Neutronensterne?",
        "Welche Gene steuern den Schlaf von Fruchtfliegen?",
        "Wer entdeckte den ersten Pulsar?",
        "Warum altern Zellen?",
        "Hilft Metformin bei Diabetes Typ 2?",
        "Was bewirkt Insulin im Gehirn?",
        "Gibt es Wasser auf dem Mars?",
        "Einfluss von Koffein auf das Gedächtnis",
        "Wie viele Planeten umkreisen Kepler-90?",
        "Ursachen der Alzheimer-Krankheit",
    ],
    "fr": [
        "Comment se forment les étoiles à neutrons ?",
        "Quels gènes contrôlent le sommeil des drosophiles ?",
        "Qui a découvert le premier pulsar ?",
        "Pourquoi les cellules vieillissent-elles ?",
        "La metformine aide-t-elle contre le diabète ?",
        "Y a-t-il de l'eau sur Mars ?",
        "Effets de la caféine sur la mémoire",
        "Combien de planètes tournent autour de Kepler-90 ?",
        "Causes de la maladie d'Alzheimer",
        "Que fait l'insuline dans le cerveau ?",
    ],
    "es": [
        "¿Cómo se forman las estrellas de neutrones?",
        "¿Qué genes controlan el sueño de la mosca?",
        "¿Quién descubrió el primer púlsar?",
        "¿Por qué envejecen las células?",
        "¿Ayuda la metformina contra la diabetes?",
        "¿Hay agua en Marte?",
        "Efectos de la cafeína sobre la memoria",
        "¿Cuántos planetas orbitan Kepler-90?",
        "Causas de la enfermedad de Alzheimer",
        "qué hace la insulina en el cerebro",
    ],
    "pt": [
        "Como se formam as estrelas de nêutrons?",
        "Quais genes controlam o sono das moscas?",
        "Quem descobriu o primeiro pulsar?",
        "Por que as células envelhecem?",
        "A metformina ajuda contra o diabetes?",
        "Existe água em Marte?",
        "Efeitos da cafeína na memória",
        "Quantos planetas orbitam Kepler-90?",
        "Causas da doença de Alzheimer",
        "O que faz a insulina no cérebro?",
    ],
    "it": [
        "Come si formano le stelle di neutroni?",
        "Quali geni controllano il sonno delle mosche?",
        "Chi ha scoperto la prima pulsar?",
        "Perché le cellule invecchiano?",
        "La metformina aiuta contro il diabete?",
        "C'è acqua su Marte?",
        "Effetti della caffeina sulla memoria",
        "Quanti pianeti orbitano intorno a Kepler-90?",
        "Cause della malattia di Alzheimer",
        "Che cosa fa l'insulina nel cervello?",
    ],
    "nl": [
        "Hoe ontstaan neutronensterren?",
        "Welke genen regelen de slaap van fruitvliegen?",
        "Wie ontdekte de eerste pulsar?",
        "Waarom verouderen cellen?",
        "Helpt metformine tegen diabetes?",
        "Is er water op Mars?",
        "Invloed van cafeïne op het geheugen",
        "Hoeveel planeten draaien om Kepler-90?",
        "Oorzaken van de ziekte van Alzheimer",
        "Wat doet insuline in de hersenen?",
    ],
    "pl": [
        "Jak powstają gwiazdy neutronowe?",
        "Które geny kontrolują sen muszek?",
        "Kto odkrył pierwszy pulsar?",
        "Dlaczego komórki się starzeją?",
        "Czy na Marsie jest woda?",
        "Wpływ kofeiny na pamięć",
    ],
    "sv": [
        "Hur bildas neutronstjärnor?",
        "Vilka gener styr sömnen hos bananflugor?",
        "Vem upptäckte den första pulsaren?",
        "Varför åldras celler?",
        "Finns det vatten på Mars?",
        "Koffeinets effekt på minnet",
    ],
    "tr": [
        "Nötron yıldızları nasıl oluşur?",
        "Hangi genler uykuyu kontrol eder?",
        "İlk pulsarı kim keşfetti?",
        "Hücreler neden yaşlanır?",
        "Mars'ta su var mı?",
        "Kafeinin hafıza üzerindeki etkisi",
    ],
    "cs": [
        "Jak vznikají neutronové hvězdy?",
        "Které geny řídí spánek?",
        "Kdo objevil první pulsar?",
        "Proč buňky stárnou?",
        "Je na Marsu voda?",
        "Vliv kofeinu na paměť",
    ],
    "id": [
        "Bagaimana bintang neutron terbentuk?",
        "Gen apa yang mengendalikan tidur?",
        "Siapa yang menemukan pulsar pertama?",
        "Mengapa sel menua?",
        "Apakah ada air di Mars?",
        "Pengaruh kafein terhadap ingatan",
    ],
    "vi": [
        "Sao neutron hình thành như thế nào?",
        "Gen nào kiểm soát giấc ngủ?",
        "Ai đã phát hiện ra pulsar đầu tiên?",
        "Tại sao tế bào lão hóa?",
        "Có nước trên sao Hỏa không?",
    ],
    "ru": [
        "Как образуются нейтронные звёзды?",
        "Есть ли вода на Марсе?",
    ],
    "zh": [
        "中子星是如何形成的？",
        "火星上有水吗？",
    ],
    "ja": [
        "中性子星はどのようにして形成されますか？",
        "火星に水はありますか？",
    ],
    "uk": [
        "Як утворюються нейтронні зорі?",
        "Чи є вода на Марсі?",
    ],
    "ar": [
        "كيف تتكون النجوم النيوترونية؟",
    ],
    "fa": [
        "ستاره‌های نوترونی چگونه تشکیل می‌شوند؟",
    ],
    "ko": [
        "중성자별은 어떻게 형성됩니까?",
    ],
}


def english() -> list[str]:
    """Questions and claims of five sets."""
    data = corpora.data_folder()
    sets = (
        ("bioasq/questions.jsonl.gz", "question"),
        ("scholarqabench/scholarqabench_bio.jsonl", "input"),
        ("pubmedqa/pqal.jsonl.gz", "QUESTION"),
        ("astroqa/astroqa_en.jsonl.gz", "Question"),
        ("scifact/claims_train.jsonl", "claim"),
    )
    return [one[field] for path, field in sets for one in corpora.read_lines(data / path) if one.get(field)]


def parts(questions: list[str]) -> list[str]:
    """Two to four words in a row of some, as one types into a search box."""
    rng = random.Random(3)
    found = []
    for words in (question.rstrip("?").split() for question in questions):
        if len(words) > 6 and rng.random() < 0.3:
            count = rng.randint(2, 4)
            start = rng.randrange(len(words) - count)
            found.append(" ".join(words[start : start + count]))
    return found


def main() -> None:
    """Print how many are taken for another language."""
    asked = english()
    random.Random(5).shuffle(asked)
    for name, questions in (("English", asked[2800:]), ("parts of English", parts(asked))):
        wrong = [(one, told) for one in questions if (told := language_of(one)) != "en"]
        print(f"{name}: {len(wrong)} of {len(questions)} taken for another language: {wrong[:5]}")
    sealed = [(code, one) for code, questions in QUESTIONS.items() for one in questions[1::2]]
    told = [(code, language_of(one)) for code, one in sealed]
    seen, right = sum(one != "en" for _, one in told), sum(code == one for code, one in told)
    print(f"other languages: {seen} of {len(sealed)} told, {right} rightly named")


if __name__ == "__main__":
    main()
