import Foundation

// Foundation on Linux has these properties, but not for programs.
extension NSLocale {
  /// The language, such as "de".
  public var languageCode: String { object(forKey: .languageCode) as? String ?? "" }

  /// The country, such as "CH". Nil if the locale has none.
  public var countryCode: String? { object(forKey: .countryCode) as? String }
}
