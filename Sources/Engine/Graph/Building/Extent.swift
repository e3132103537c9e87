/// The extent of one dimension of a model's input or output: one number, or a range. A range is a *free* extent.
public struct Extent: Sendable, Hashable, CustomStringConvertible, ExpressibleByIntegerLiteral {
  /// The smallest allowed extent.
  public let lower: Int
  /// The largest allowed extent; nil if there is no limit.
  public let upper: Int?
  /// The extent's name; nil if the extent is fixed or has no name. Two dimensions whose extents have the same name
  /// always have the same extent.
  public let symbol: String?

  /// Creates a fixed extent.
  public init(_ extent: Int) {
    lower = extent
    upper = extent
    symbol = nil
  }

  /// Creates a fixed extent.
  public init(integerLiteral value: Int) { self.init(value) }

  /// Creates an extent that may have any size from `lower` to `upper`. If `upper` is nil, the size has no upper limit.
  public init(from lower: Int = 1, to upper: Int? = nil, symbol: String? = nil) {
    self.lower = lower
    self.upper = upper
    self.symbol = symbol
  }

  /// The number if the extent is fixed; else nil.
  public var fixed: Int? { lower == upper ? lower : nil }

  /// The extent in messages, such as `3`, `1…`, `64…1024` or `batch`.
  public var description: String {
    if let fixed { return String(fixed) }
    return symbol ?? "\(lower)…\(upper.map(String.init) ?? "")"
  }
}
