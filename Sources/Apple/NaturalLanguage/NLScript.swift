/// A script, by its code (ISO 15924).
public struct NLScript: RawRepresentable, Hashable, Sendable {
  /// The code, such as `Latn`.
  public let rawValue: String

  /// Makes a script from a code.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Makes a script from a code.
  public init(_ rawValue: String) { self.rawValue = rawValue }
}

extension NLScript {
  /// A script that was not determined.
  public static let undetermined = NLScript("Zyyy")
  /// Arabic.
  public static let arabic = NLScript("Arab")
  /// Armenian.
  public static let armenian = NLScript("Armn")
  /// Bengali.
  public static let bengali = NLScript("Beng")
  /// Canadian Aboriginal Syllabics.
  public static let canadianAboriginalSyllabics = NLScript("Cans")
  /// Cherokee.
  public static let cherokee = NLScript("Cher")
  /// Cyrillic.
  public static let cyrillic = NLScript("Cyrl")
  /// Devanagari.
  public static let devanagari = NLScript("Deva")
  /// Ethiopic.
  public static let ethiopic = NLScript("Ethi")
  /// Georgian.
  public static let georgian = NLScript("Geor")
  /// Greek.
  public static let greek = NLScript("Grek")
  /// Gujarati.
  public static let gujarati = NLScript("Gujr")
  /// Gurmukhi.
  public static let gurmukhi = NLScript("Guru")
  /// Hebrew.
  public static let hebrew = NLScript("Hebr")
  /// Japanese.
  public static let japanese = NLScript("Jpan")
  /// Kannada.
  public static let kannada = NLScript("Knda")
  /// Khmer.
  public static let khmer = NLScript("Khmr")
  /// Korean.
  public static let korean = NLScript("Kore")
  /// Lao.
  public static let lao = NLScript("Laoo")
  /// Latin.
  public static let latin = NLScript("Latn")
  /// Malayalam.
  public static let malayalam = NLScript("Mlym")
  /// Mongolian.
  public static let mongolian = NLScript("Mong")
  /// Myanmar.
  public static let myanmar = NLScript("Mymr")
  /// Oriya.
  public static let oriya = NLScript("Orya")
  /// Simplified Chinese.
  public static let simplifiedChinese = NLScript("Hans")
  /// Sinhala.
  public static let sinhala = NLScript("Sinh")
  /// Tamil.
  public static let tamil = NLScript("Taml")
  /// Telugu.
  public static let telugu = NLScript("Telu")
  /// Thai.
  public static let thai = NLScript("Thai")
  /// Tibetan.
  public static let tibetan = NLScript("Tibt")
  /// Traditional Chinese.
  public static let traditionalChinese = NLScript("Hant")
}
