/// The fields that a reader knows for a layer or an operation of a file format.
///
/// If a reader ignored a field that it does not know, it could compute something else than the file means. So each
/// reader lists the fields of its layers, and ``check(_:_:)`` throws an error that names any other field.
public struct KnownFields: Sendable {
  /// The value of a field, in a form that can be compared with a default value.
  public enum Value: Sendable, Hashable {
    /// `null`, which means the same as a missing field.
    case nothing
    case truth(Bool)
    case number(Double)
    case text(String)
    case list([Value])
    /// An object or a message, as text.
    case other(String)
  }

  /// The fields that the reader evaluates.
  public private(set) var read: Set<String>
  /// The fields that do not change the results of a trained network.
  public private(set) var harmless: Set<String>
  /// The fields that the reader may ignore if they have certain values. For each field, these values: the default and
  /// its synonyms.
  public private(set) var allowed: [String: [Value]]

  /// Creates the fields of a kind of layer.
  ///
  /// - Parameters:
  ///   - read: The fields that the reader evaluates.
  ///   - only: The fields that the reader may ignore if they have certain values, each with these values.
  ///   - harmless: The fields that do not change the results of a trained network.
  public init(_ read: [String] = [], only allowed: [String: [Value]] = [:], harmless: [String] = [])
  {
    (self.read, self.allowed, self.harmless) = (Set(read), allowed, Set(harmless))
  }

  /// Returns the fields of this object and of `other` together.
  public func joined(_ other: KnownFields) -> KnownFields {
    var result: KnownFields = self
    result.read.formUnion(other.read)
    result.harmless.formUnion(other.harmless)
    result.allowed.merge(other.allowed) { own, _ in own }
    return result
  }

  /// Throws if the reader does not support a field, or does not support its value. Checks fields in the order of their
  /// names.
  ///
  /// - Parameter what: The format's term for a field, such as “setting”.
  /// - Throws: ``EngineError`` that names the field, its value and the supported values.
  public func check(_ fields: [String: Value], _ what: String) throws {
    for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
      guard value != .nothing, !read.contains(name), !harmless.contains(name) else { continue }
      guard let allowed = allowed[name] else {
        throw EngineError(
          .unsupported,
          "the \(what) '\(name)' is \(value), but the reader knows no \(what) of this name. Save the model without it."
        )
      }
      guard allowed.contains(where: { $0.isSame(as: value) }) else {
        let expected: [String] = allowed.filter { $0 != .nothing }.map { "\($0)" }
        throw EngineError(
          .unsupported,
          "the \(what) '\(name)' is \(value), expected \(expected.isEmpty ? "none" : expected.joined(separator: " or ")); the reader supports no other value."
        )
      }
    }
  }
}

extension KnownFields.Value {
  /// Returns whether two values mean the same. A format may write a Boolean as a number, or one number instead of a
  /// list of equal numbers.
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
  /// The value as text in the formats' notation, shortened if it is long.
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
