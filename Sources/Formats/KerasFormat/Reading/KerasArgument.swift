import Foundation
import Graph
import Tensors

/// An argument in a call of a layer or an operation.
indirect enum KerasArgument {
  /// `None`.
  case nothing
  case truth(Bool)
  case number(Double)
  case text(String)
  /// An output of another call, by the name that the file gives it.
  case source(KerasLayer.Source)
  /// An output of another call, as a tensor in the graph.
  case tensor(KerasTensor)
  /// Numbers that are stored in the file.
  case array(ReferenceTensor)
  case list([KerasArgument])
  case named([String: KerasArgument])
  /// `start:stop:step`.
  case slice(start: KerasArgument, stop: KerasArgument, step: KerasArgument)
  /// `...`
  case ellipsis
  /// An object of a class that this reader does not know.
  case object(String)

  /// The largest nesting depth of arguments.
  private static let maximumDepth = 16

  /// Reads an argument from JSON.
  ///
  /// - Parameter namesSources: Whether a list such as `["name", 0, 0]` refers to a tensor, as in Keras 1 and 2.
  init(_ value: Any, namesSources: Bool, depth: Int = 0) throws {
    guard depth < Self.maximumDepth else {
      throw EngineError(.invalidModel, "the arguments of a call are nested too deeply.")
    }
    func inner(_ value: Any) throws -> KerasArgument {
      try KerasArgument(value, namesSources: namesSources, depth: depth + 1)
    }
    switch value {
    case is NSNull: self = .nothing
    case let number as NSNumber:
      self =
        String(cString: number.objCType) == "c"
        ? .truth(number.boolValue) : .number(number.doubleValue)
    case let text as String: self = .text(text)
    case let list as [Any]:
      if namesSources, let source = KerasLayer.source(list) {
        self = .source(source)
      } else {
        self = .list(try list.map(inner))
      }
    case let object as [String: Any]: self = try Self.object(object, inner)
    default: self = .object("\(type(of: value))")
    }
  }

  private static func object(
    _ object: [String: Any], _ inner: (Any) throws -> KerasArgument
  ) throws -> KerasArgument {
    let config: [String: Any] = object["config"] as? [String: Any] ?? object
    func slice() throws -> KerasArgument {
      .slice(
        start: try inner(config["start"] ?? NSNull()), stop: try inner(config["stop"] ?? NSNull()),
        step: try inner(config["step"] ?? NSNull()))
    }
    guard let kind = object["class_name"] as? String else {
      if Set(object.keys) == ["start", "stop", "step"] { return try slice() }
      return .named(try object.mapValues(inner))
    }
    switch kind {
    case "__keras_tensor__":
      guard let source = KerasLayer.source(config["keras_history"] ?? NSNull()) else {
        throw EngineError(.invalidModel, "a tensor of a call does not say which layer makes it.")
      }
      return .source(source)
    case "__numpy__", "__tensor__":
      return .array(try array(config["value"] ?? NSNull()))
    case "__tuple__": return try inner(config["value"] ?? [Any]())
    case "TensorShape": return try inner(object["items"] ?? [Any]())
    case "__slice__": return try slice()
    case "__ellipsis__": return .ellipsis
    case "DTypePolicy", "Policy", "FloatDTypePolicy":
      return .text(config["name"] as? String ?? "float32")
    default: return .object(kind)
    }
  }

  /// Reads numbers in nested lists. All lists at one nesting level must have equal lengths.
  static func array(_ value: Any) throws -> ReferenceTensor {
    var shape: [Int] = []
    var first: Any = value
    while let list = first as? [Any] {
      shape.append(list.count)
      guard let next = list.first, shape.count <= maximumDepth else { break }
      first = next
    }
    var numbers: [Double] = []
    func collect(_ value: Any, _ axis: Int) -> Bool {
      if let list = value as? [Any] {
        return axis < shape.count && list.count == shape[axis]
          && list.allSatisfy { collect($0, axis + 1) }
      }
      guard axis == shape.count, let number = value as? NSNumber else { return false }
      numbers.append(number.doubleValue)
      return true
    }
    guard collect(value, 0) else {
      throw EngineError(
        .invalidModel, "a constant in a call is not an array: its rows differ in length or type.")
    }
    return ReferenceTensor(Shape(shape), numbers)
  }

  /// Returns the argument with every named output of a call replaced by its tensor. Nil if a tensor does not exist yet.
  func resolved(_ known: [KerasLayer.Source: KerasTensor]) -> KerasArgument? {
    switch self {
    case .source(let source): return known[source].map { .tensor($0) }
    case .list(let list):
      let made: [KerasArgument] = list.compactMap { $0.resolved(known) }
      return made.count == list.count ? .list(made) : nil
    case .named(let named):
      let made: [String: KerasArgument] = named.compactMapValues { $0.resolved(known) }
      return made.count == named.count ? .named(made) : nil
    case .slice(let start, let stop, let step):
      guard let start = start.resolved(known), let stop = stop.resolved(known),
        let step = step.resolved(known)
      else { return nil }
      return .slice(start: start, stop: stop, step: step)
    default: return self
    }
  }

  /// Whether the argument has no effect: it is `None`, `False`, or a list or dictionary of such arguments.
  var isNothing: Bool {
    switch self {
    case .nothing, .truth(false): true
    case .list(let list): list.allSatisfy(\.isNothing)
    case .named(let named): named.values.allSatisfy(\.isNothing)
    default: false
    }
  }
}

extension KerasArgument: CustomStringConvertible {
  /// A short description for errors.
  var description: String {
    switch self {
    case .nothing: "None"
    case .truth(let truth): truth ? "True" : "False"
    case .number(let number): "\(KnownFields.Value.number(number))"
    case .text(let text): "'\(text.prefix(60))'"
    case .source, .tensor: "a tensor"
    case .array(let array): "an array of \(array.shape)"
    case .list(let list): "a list of \(list.count)"
    case .named(let named): "\(named.count) named values"
    case .slice: "a slice"
    case .ellipsis: "..."
    case .object(let kind): "an object of the class '\(kind.prefix(60))'"
    }
  }
}
