import Foundation
import _FoundationICU

/// The scripts that determine a language, or between whose languages a profile decides.
enum TextScript: Int, CaseIterable {
  case latin, cyrillic, arabic, devanagari, han
  case kana, hangul, greek, hebrew, armenian, georgian, ethiopic, cherokee, bengali, gujarati
  case gurmukhi, kannada, malayalam, oriya, sinhala, tamil, telugu, thai, lao, khmer, myanmar
  case tibetan, mongolian, canadian

  /// The script of a letter or mark. Nil for digits, punctuation and other scripts.
  init?(_ scalar: Unicode.Scalar) {
    if scalar.isASCII {
      guard scalar.properties.isAlphabetic else { return nil }
      self = .latin
      return
    }
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .nonspacingMark, .spacingMark, .enclosingMark:
      break
    default: return nil
    }
    var status = U_ZERO_ERROR
    switch swift_uscript_getScript(Int32(scalar.value), &status) {
    case USCRIPT_LATIN: self = .latin
    case USCRIPT_CYRILLIC: self = .cyrillic
    case USCRIPT_ARABIC: self = .arabic
    case USCRIPT_DEVANAGARI: self = .devanagari
    case USCRIPT_HAN: self = .han
    case USCRIPT_HIRAGANA, USCRIPT_KATAKANA: self = .kana
    case USCRIPT_HANGUL: self = .hangul
    case USCRIPT_GREEK: self = .greek
    case USCRIPT_HEBREW: self = .hebrew
    case USCRIPT_ARMENIAN: self = .armenian
    case USCRIPT_GEORGIAN: self = .georgian
    case USCRIPT_ETHIOPIC: self = .ethiopic
    case USCRIPT_CHEROKEE: self = .cherokee
    case USCRIPT_BENGALI: self = .bengali
    case USCRIPT_GUJARATI: self = .gujarati
    case USCRIPT_GURMUKHI: self = .gurmukhi
    case USCRIPT_KANNADA: self = .kannada
    case USCRIPT_MALAYALAM: self = .malayalam
    case USCRIPT_ORIYA: self = .oriya
    case USCRIPT_SINHALA: self = .sinhala
    case USCRIPT_TAMIL: self = .tamil
    case USCRIPT_TELUGU: self = .telugu
    case USCRIPT_THAI: self = .thai
    case USCRIPT_LAO: self = .lao
    case USCRIPT_KHMER: self = .khmer
    case USCRIPT_MYANMAR: self = .myanmar
    case USCRIPT_TIBETAN: self = .tibetan
    case USCRIPT_MONGOLIAN: self = .mongolian
    case USCRIPT_CANADIAN_ABORIGINAL: self = .canadian
    default: return nil
    }
  }

  /// The only language of `NLLanguage` that is written in the script. Nil if there are several or none.
  var language: NLLanguage? {
    switch self {
    case .latin, .cyrillic, .arabic, .devanagari, .han, .canadian: nil
    case .kana: .japanese
    case .hangul: .korean
    case .greek: .greek
    case .hebrew: .hebrew
    case .armenian: .armenian
    case .georgian: .georgian
    case .ethiopic: .amharic
    case .cherokee: .cherokee
    case .bengali: .bengali
    case .gujarati: .gujarati
    case .gurmukhi: .punjabi
    case .kannada: .kannada
    case .malayalam: .malayalam
    case .oriya: .oriya
    case .sinhala: .sinhalese
    case .tamil: .tamil
    case .telugu: .telugu
    case .thai: .thai
    case .lao: .lao
    case .khmer: .khmer
    case .myanmar: .burmese
    case .tibetan: .tibetan
    case .mongolian: .mongolian
    }
  }

  /// The script as `NLScript` names it. For Han characters, that depends on the language.
  func name(in language: NLLanguage?) -> NLScript {
    switch self {
    case .latin: .latin
    case .cyrillic: .cyrillic
    case .arabic: .arabic
    case .devanagari: .devanagari
    case .han:
      switch language {
      case .japanese: .japanese
      case .traditionalChinese: .traditionalChinese
      default: .simplifiedChinese
      }
    case .kana: .japanese
    case .hangul: .korean
    case .greek: .greek
    case .hebrew: .hebrew
    case .armenian: .armenian
    case .georgian: .georgian
    case .ethiopic: .ethiopic
    case .cherokee: .cherokee
    case .bengali: .bengali
    case .gujarati: .gujarati
    case .gurmukhi: .gurmukhi
    case .kannada: .kannada
    case .malayalam: .malayalam
    case .oriya: .oriya
    case .sinhala: .sinhala
    case .tamil: .tamil
    case .telugu: .telugu
    case .thai: .thai
    case .lao: .lao
    case .khmer: .khmer
    case .myanmar: .myanmar
    case .tibetan: .tibetan
    case .mongolian: .mongolian
    case .canadian: .canadianAboriginalSyllabics
    }
  }
}
