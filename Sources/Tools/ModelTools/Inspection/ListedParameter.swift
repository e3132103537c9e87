/// A number, text or Boolean from a model. It has the same type in JSON.
public enum ListedParameter: Encodable, Sendable, Hashable, CustomStringConvertible {
  /// A number with a fraction.
  case number(Double)
  /// An integer.
  case integer(Int64)
  /// A text.
  case text(String)
  /// A Boolean.
  case flag(Bool)
  /// The file states no value.
  case nothing

  public func encode(to encoder: any Encoder) throws {
    var single = encoder.singleValueContainer()
    switch self {
    case .number(let number): try single.encode(number)
    case .integer(let number): try single.encode(number)
    case .text(let text): try single.encode(text)
    case .flag(let flag): try single.encode(flag)
    case .nothing: try single.encodeNil()
    }
  }

  /// The value as text.
  public var description: String {
    switch self {
    case .number(let number): "\(number)"
    case .integer(let number): "\(number)"
    case .text(let text): "'\(text)'"
    case .flag(let flag): "\(flag)"
    case .nothing: "nothing"
    }
  }
}
