import Foundation
import NaturalLanguage
import Testing

@Suite("Words, sentences and languages of NaturalLanguage")
struct LanguageTests {
  private static func tokens(_ text: String, _ unit: NLTokenUnit) -> [String] {
    let tokenizer = NLTokenizer(unit: unit)
    tokenizer.string = text
    return tokenizer.tokens(for: text.startIndex..<text.endIndex).map { String(text[$0]) }
  }

  @Test("Words are letters and numbers, without punctuation and white space")
  func words() {
    #expect(
      Self.tokens("Hello, world!  It's 3.14 o'clock – naïve 😀 e-mail.", .word)
        == ["Hello", "world", "It's", "3.14", "o'clock", "naïve", "😀", "e", "mail"])
    #expect(Self.tokens("", .word).isEmpty && Self.tokens(" … ", .word).isEmpty)
  }

  @Test("Chinese, Japanese and Thai words come from ICU's dictionaries")
  func dictionaries() {
    #expect(Self.tokens("我喜欢北京大学", .word) == ["我", "喜欢", "北京", "大学"])
    #expect(Self.tokens("今日は良い天気です", .word).first == "今日")
    #expect(Self.tokens("สวัสดีครับ", .word) == ["สวัสดี", "ครับ"])
  }

  @Test("Sentences end with their white space, and not after abbreviations")
  func sentences() {
    #expect(
      Self.tokens("Mr. Smith went to Rome. He saw 3.5 million people! Why?", .sentence)
        == ["Mr. Smith went to Rome. ", "He saw 3.5 million people! ", "Why?"])
  }

  @Test("Paragraphs are lines, and a document is the text")
  func paragraphs() {
    #expect(Self.tokens("one\ntwo\r\n\nthree", .paragraph) == ["one", "two", "three"])
    #expect(Self.tokens("one\ntwo", .document) == ["one\ntwo"])
  }

  @Test(
    "A tokenizer gives the token at a position, and only tokens of a range, until the closure ends it"
  )
  func ranges() {
    let text = "one two three four"
    let tokenizer = NLTokenizer(unit: .word)
    tokenizer.string = text
    func index(_ offset: Int) -> String.Index { text.index(text.startIndex, offsetBy: offset) }
    #expect(text[tokenizer.tokenRange(at: index(5))] == "two")
    #expect(tokenizer.tokenRange(at: text.endIndex).isEmpty)
    #expect(text[tokenizer.tokenRange(for: index(5)..<index(9))] == "two three")
    #expect(tokenizer.tokens(for: index(5)..<index(9)).map { text[$0] } == ["two", "three"])
    var seen: [Substring] = []
    tokenizer.enumerateTokens(in: text.startIndex..<text.endIndex) { range, attributes in
      seen.append(text[range])
      return seen.count < 2
    }
    #expect(seen == ["one", "two"])
    tokenizer.string = "other"
    #expect(Self.tokens("other", .word) == ["other"])
  }

  @Test("Tokens say whether they contain digits or emoji")
  func attributes() {
    var found: [NLTokenizer.Attributes] = []
    let tokenizer = NLTokenizer(unit: .word)
    tokenizer.string = "a1 b 😀"
    tokenizer.enumerateTokens(in: "a1 b 😀".startIndex..<"a1 b 😀".endIndex) { _, attributes in
      found.append(attributes)
      return true
    }
    #expect(found == [.numeric, [], .emoji])
  }

  // The first article of the Universal Declaration of Human Rights, by the United Nations.
  @Test(
    "The language of a sentence is found",
    arguments: [
      ("Tots els éssers humans neixen lliures i iguals en dignitat i en drets.", .catalan),
      ("Všichni lidé rodí se svobodní a sobě rovní co do důstojnosti a práv.", .czech),
      (
        "Alle mennesker er født frie og lige i værdighed og rettigheder. De er udstyret med fornuft.",
        .danish
      ),
      ("Alle Menschen sind frei und gleich an Würde und Rechten geboren.", .german),
      ("All human beings are born free and equal in dignity and rights.", .english),
      ("Todos los seres humanos nacen libres e iguales en dignidad y derechos.", .spanish),
      ("Kaikki ihmiset syntyvät vapaina ja tasavertaisina arvoltaan ja oikeuksiltaan.", .finnish),
      ("Tous les êtres humains naissent libres et égaux en dignité et en droits.", .french),
      ("Sva ljudska bića rađaju se slobodna i jednaka u dostojanstvu i pravima.", .croatian),
      ("Minden emberi lény szabadon születik és egyenlő méltósága és joga van.", .hungarian),
      ("Semua orang dilahirkan merdeka dan mempunyai martabat dan hak-hak yang sama.", .indonesian),
      ("Tutti gli esseri umani nascono liberi ed eguali in dignità e diritti.", .italian),
      ("Alle mennesker er født frie og med samme menneskeverd og menneskerettigheter.", .norwegian),
      ("Alle mensen worden vrij en gelijk in waardigheid en rechten geboren.", .dutch),
      ("Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw.", .polish),
      ("Todos os seres humanos nascem livres e iguais em dignidade e em direitos.", .portuguese),
      ("Toate ființele umane se nasc libere și egale în demnitate și în drepturi.", .romanian),
      ("Všetci ľudia sa rodia slobodní a sebe rovní, čo sa týka ich dôstojnosti a práv.", .slovak),
      ("Alla människor är födda fria och lika i värde och rättigheter.", .swedish),
      ("Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar.", .turkish),
      ("Tất cả mọi người sinh ra đều được tự do và bình đẳng về nhân phẩm và quyền.", .vietnamese),
      ("Все люди рождаются свободными и равными в своем достоинстве и правах.", .russian),
      ("Всички хора се раждат свободни и равни по достойнство и права.", .bulgarian),
      ("Всі люди народжуються вільними і рівними у своїй гідності та правах.", .ukrainian),
      ("يولد جميع الناس أحراراً متساوين في الكرامة والحقوق", .arabic),
      ("تمام افراد بشر آزاد به دنیا می‌آیند و از لحاظ حیثیت و حقوق با هم برابرند", .persian),
      ("تمام انسان آزاد اور حقوق و عزت کے اعتبار سے برابر پیدا ہوئے ہیں", .urdu),
      ("सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता प्राप्त है", .hindi),
      ("सर्व मानवी व्यक्ती जन्मतःच स्वतंत्र आहेत व त्यांना समान प्रतिष्ठा आहे", .marathi),
      ("人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心", .simplifiedChinese),
      ("人人生而自由，在尊嚴和權利上一律平等。他們賦有理性和良心", .traditionalChinese),
      ("すべての人間は、生まれながらにして自由であり", .japanese),
      ("모든 인간은 태어날 때부터 자유로우며", .korean),
      ("Όλοι οι άνθρωποι γεννιούνται ελεύθεροι", .greek), ("כל בני האדם נולדו בני חורין", .hebrew),
      ("มนุษย์ทั้งหลายเกิดมามีอิสระ", .thai), ("ყველა ადამიანი იბადება თავისუფალი", .georgian),
      ("Բոլոր մարդիկ ծնվում են ազատ", .armenian), ("সমস্ত মানুষ স্বাধীনভাবে জন্মগ্রহণ করে", .bengali),
      ("மனிதப் பிறவியினர் சகலரும் சுதந்திரமாகவே பிறக்கின்றனர்", .tamil),
    ] as [(String, NLLanguage)])
  func languages(_ text: String, _ language: NLLanguage) {
    #expect(NLLanguageRecognizer.dominantLanguage(for: text) == language)
  }

  @Test("A text without letters has no language")
  func noLanguage() {
    #expect(NLLanguageRecognizer.dominantLanguage(for: "") == nil)
    #expect(NLLanguageRecognizer.dominantLanguage(for: "12 + 3 = 15 😀") == nil)
  }

  @Test("Hypotheses add up to 1, constraints exclude languages, and hints decide between near ones")
  func hypotheses() throws {
    let recognizer = NLLanguageRecognizer()
    recognizer.processString("Hello, how are you today?")
    let all: [NLLanguage: Double] = recognizer.languageHypotheses(withMaximum: 100)
    #expect(abs(all.values.reduce(0, +) - 1) < 1e-9)
    #expect(try #require(all[.english]) > 0.5)
    #expect(recognizer.languageHypotheses(withMaximum: 2).count == 2)
    recognizer.languageConstraints = [.german, .french]
    #expect(recognizer.dominantLanguage != .english && recognizer.dominantLanguage != nil)
    recognizer.languageConstraints = []
    recognizer.reset()
    #expect(recognizer.dominantLanguage == nil)
    recognizer.processString("Hei hei")
    recognizer.languageHints = [.finnish: 0.99]
    #expect(recognizer.dominantLanguage == .finnish)
    recognizer.languageHints = [.norwegian: 0.99]
    #expect(recognizer.dominantLanguage == .norwegian)
  }

  @Test("Several texts count together")
  func several() {
    let recognizer = NLLanguageRecognizer()
    recognizer.processString("Guten Tag")
    for _ in 0..<3 { recognizer.processString("This is a rather long sentence in English.") }
    #expect(recognizer.dominantLanguage == .english)
  }

  @Test("A tagger gives types, languages and scripts, and nil for schemes without a model")
  func tags() {
    let text = "Hello, world. Привет, мир!"
    let tagger = NLTagger(tagSchemes: [.tokenType, .language, .script, .lexicalClass])
    tagger.string = text
    let whole: Range<String.Index> = text.startIndex..<text.endIndex
    let types = tagger.tags(
      in: whole, unit: .word, scheme: .tokenType, options: [.omitWhitespace])
    #expect(
      types.map(\.0) == [
        .word, .punctuation, .word, .punctuation, .word, .punctuation, .word, .punctuation,
      ])
    let scripts = tagger.tags(
      in: whole, unit: .word, scheme: .script, options: [.omitWhitespace, .omitPunctuation])
    #expect(scripts.map { $0.0?.rawValue } == ["Latn", "Latn", "Cyrl", "Cyrl"])
    let sentences = tagger.tags(in: whole, unit: .sentence, scheme: .script)
    #expect(sentences.map { String(text[$0.1]) } == ["Hello, world. ", "Привет, мир!"])
    #expect(tagger.tag(at: text.startIndex, unit: .word, scheme: .lexicalClass).0 == nil)
    #expect(!NLTagger.availableTagSchemes(for: .word, language: .english).contains(.lexicalClass))
    tagger.setLanguage(.dutch, range: whole)
    #expect(tagger.tag(at: text.startIndex, unit: .document, scheme: .language).0?.rawValue == "nl")
  }

  @Test("An embedding of words keeps its vectors, and finds the nearest words")
  func embedding() throws {
    let file: URL = FileManager.default.temporaryDirectory
      .appendingPathComponent("words-\(UUID().uuidString).embedding")
    defer { try? FileManager.default.removeItem(at: file) }
    try NLEmbedding.write(
      ["cat": [1, 0], "kitten": [0.9, 0.1], "car": [0, 2], "truck": [0.1, 2]],
      language: .english, revision: 3, to: file)
    let embedding = try NLEmbedding(contentsOf: file)
    #expect(embedding.dimension == 2 && embedding.vocabularySize == 4 && embedding.revision == 3)
    #expect(embedding.language == .english && embedding.vector(for: "car") == [0, 2])
    #expect(embedding.neighbors(for: "cat", maximumCount: 2).map(\.0) == ["kitten", "truck"])
    #expect(embedding.neighbors(for: [0, 1], maximumCount: 1).map(\.0) == ["car"])
    #expect(abs(embedding.distance(between: "cat", and: "car") - 1) < 1e-12)
    #expect(embedding.distance(between: "cat", and: "dog") == 2 && !embedding.contains("dog"))
    #expect(throws: NLEmbeddingError.self) {
      try NLEmbedding.write(["a": [1], "b": [1, 2]], language: nil, revision: 1, to: file)
    }
    try Data("no embedding".utf8).write(to: file)
    #expect(throws: NLEmbeddingError.self) { try NLEmbedding(contentsOf: file) }
  }

  @Test("There are no vectors and no networks for languages")
  func missing() {
    #expect(NLEmbedding.wordEmbedding(for: .english) == nil)
    #expect(NLEmbedding.sentenceEmbedding(for: .english) == nil)
    #expect(NLContextualEmbedding(script: .latin) == nil)
    #expect(NLContextualEmbedding(language: .english) == nil)
  }
}
