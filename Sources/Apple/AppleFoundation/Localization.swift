import Foundation

extension String {
  /// The text of a key in the language of the bundle's tables; the key itself if there is none. A key with interpolated
  /// values is not looked up.
  public init(
    localized keyAndValue: String, table: String? = nil, bundle: Bundle? = nil,
    locale: Locale = .current, comment: StaticString? = nil
  ) {
    self = (bundle ?? .main).localizedString(forKey: keyAndValue, value: keyAndValue, table: table)
  }
}
