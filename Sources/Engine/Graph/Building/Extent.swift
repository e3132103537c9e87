/// The extent of one dimension at a model's border: one number, or any of a range.
public struct Extent: Sendable, Hashable, CustomStringConvertible, ExpressibleByIntegerLiteral {
  /// The smallest extent.
  public let lower: Int
  /// The largest extent; nil where there is no bound.
  public let upper: Int?
  /// A name: dimensions of one name have the same extent. Nil where the extent is known or has no name.
  public let symbol: String?

  /// An extent that is always the same.
  public init(_ extent: Int) {
    lower = extent
    upper = extent
    symbol = nil
  }

  /// An extent that is always the same.
  public init(integerLiteral value: Int) { self.init(value) }

  /// Any extent from a lower bound to an upper one, or to none.
  public init(from lower: Int = 1, to upper: Int? = nil, symbol: String? = nil) {
    self.lower = lower
    self.upper = upper
    self.symbol = symbol
  }

  /// The extent where it is always the same; else nil.
  public var fixed: Int? { lower == upper ? lower : nil }

  /// `3`, `1…`, `64…1024`, `batch`.
  public var description: String {
    if let fixed { return String(fixed) }
    return symbol ?? "\(lower)…\(upper.map(String.init) ?? "")"
  }
}
