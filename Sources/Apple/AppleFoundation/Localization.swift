import Foundation

extension String {
  /// Looks up a key in the bundle's localised tables. The result is the key itself if no table contains the key, and
  /// for a key with interpolated values.
  public init(
    localized keyAndValue: String, table: String? = nil, bundle: Bundle? = nil,
    locale: Locale = .current, comment: StaticString? = nil
  ) {
    self = (bundle ?? .main).localizedString(forKey: keyAndValue, value: keyAndValue, table: table)
  }
}
