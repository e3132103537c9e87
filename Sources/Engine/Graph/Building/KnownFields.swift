/// What a reader knows of the fields with which a file describes a layer or an operation.
///
/// A reader that looks only for the fields it wants computes something else where the file states one more. So each
/// reader lists the fields of its layers, and ``check(_:_:)`` refuses any other one by its name.
public struct KnownFields: Sendable {
  /// A value of a field, as far as it can be compared with a default.
  public enum Value: Sendable, Hashable {
    /// `null`: as if the field were not there.
    case nothing
    case truth(Bool)
    case number(Double)
    case text(String)
    case list([Value])
    /// An object or a message, in words.
    case other(String)
  }

  /// Fields that the reader looks at.
  public private(set) var read: Set<String>
  /// Fields that change nothing once a network is trained.
  public private(set) var harmless: Set<String>
  /// Fields that may hold some values only: the default, and others that mean the same.
  public private(set) var allowed: [String: [Value]]

  /// The fields of a kind of layer.
  ///
  /// - Parameters:
  ///   - read: Those that the reader looks at.
  ///   - only: Those that it does not look at, with the values for which it need not.
  ///   - harmless: Those that change nothing once a network is trained.
  public init(_ read: [String] = [], only allowed: [String: [Value]] = [:], harmless: [String] = [])
  {
    (self.read, self.allowed, self.harmless) = (Set(read), allowed, Set(harmless))
  }

  /// The fields of both.
  public func joined(_ other: KnownFields) -> KnownFields {
    var result: KnownFields = self
    result.read.formUnion(other.read)
    result.harmless.formUnion(other.harmless)
    result.allowed.merge(other.allowed) { own, _ in own }
    return result
  }

  /// Refuses the first field, by the order of names, that the reader does not honour.
  ///
  /// - Parameter what: What a field is called in the format: “setting”.
  /// - Throws: ``EngineError`` that names the field, its value and what was expected.
  public func check(_ fields: [String: Value], _ what: String) throws {
    for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
      guard value != .nothing, !read.contains(name), !harmless.contains(name) else { continue }
      guard let allowed = allowed[name] else {
        throw EngineError(
          .unsupported,
          "the \(what) '\(name)' is \(value), and the reader does not know a \(what) of this name. Save the model without it."
        )
      }
      guard allowed.contains(where: { $0.isSame(as: value) }) else {
        let expected: [String] = allowed.filter { $0 != .nothing }.map { "\($0)" }
        throw EngineError(
          .unsupported,
          "the \(what) '\(name)' is \(value), expected \(expected.isEmpty ? "none" : expected.joined(separator: " or ")): the reader cannot compute anything else."
        )
      }
    }
  }
}

extension KnownFields.Value {
  /// Whether two values mean the same: formats write truth values as numbers too, and one number for a list of equal
  /// ones.
  func isSame(as other: Self) -> Bool {
    switch (self, other) {
    case (.truth(let truth), .number(let number)), (.number(let number), .truth(let truth)):
      number == (truth ? 1 : 0)
    case (.list(let list), .list(let others)):
      list.count == others.count && zip(list, others).allSatisfy { $0.isSame(as: $1) }
    case (let one, .list(let others)):
      !others.isEmpty && others.allSatisfy { one.isSame(as: $0) }
    default: self == other
    }
  }
}

extension KnownFields.Value: CustomStringConvertible {
  /// The value as formats write it, cut where it is long.
  public var description: String {
    switch self {
    case .nothing: "null"
    case .truth(let truth): "\(truth)"
    case .number(let number):
      Int(exactly: number).map { "\($0)" } ?? "\(number)"
    case .text(let text): "'\(text.prefix(60))'"
    case .list(let list):
      "[\(list.prefix(8).map { "\($0)" }.joined(separator: ", "))\(list.count > 8 ? ", …" : "")]"
    case .other(let words): String(words.prefix(60))
    }
  }
}

extension KnownFields.Value: ExpressibleByBooleanLiteral, ExpressibleByFloatLiteral,
  ExpressibleByIntegerLiteral, ExpressibleByStringLiteral, ExpressibleByNilLiteral,
  ExpressibleByArrayLiteral
{
  public init(booleanLiteral value: Bool) { self = .truth(value) }
  public init(floatLiteral value: Double) { self = .number(value) }
  public init(integerLiteral value: Int) { self = .number(Double(value)) }
  public init(stringLiteral value: String) { self = .text(value) }
  public init(nilLiteral: ()) { self = .nothing }
  public init(arrayLiteral elements: Self...) { self = .list(elements) }
}
