import Graph
import Operators
import Tensors

/// An operation on tensors while it is read: one of `keras.ops`, which Keras 3 writes like a layer, or a function of
/// TensorFlow, which Keras 2 writes as `TFOpLambda` and `SlicingOpLambda`.
struct KerasOperation {
  let layer: KerasLayer
  let context: KerasContext
  private let reader: KerasOperationReader?
  private let parameters: [String: KerasArgument]

  /// An operation with what it is called with.
  ///
  /// - Throws: ``EngineError`` where it is called with what its reader does not look at.
  init(_ layer: KerasLayer, _ call: KerasCall, _ network: KerasBuilder) throws {
    self.layer = layer
    let context = KerasContext(layer: layer, inputs: [], weights: [], network: network)
    self.context = context
    reader = KerasOperationReader.all[Self.key(layer)]
    guard let reader else {
      parameters = [:]
      inputs = try context.tensors(in: call.everything)
      return
    }
    inputs = []
    parameters = try Self.bound(layer, call, reader, context)
  }

  /// What each parameter is: by the settings, by place and by name.
  private static func bound(
    _ layer: KerasLayer, _ call: KerasCall, _ reader: KerasOperationReader, _ context: KerasContext
  ) throws -> [String: KerasArgument] {
    var found: [String: KerasArgument] = [:]
    func bind(_ name: String, _ value: KerasArgument) throws {
      if let parameter = reader.parameter(named: name) {
        found[parameter] = value
      } else if !value.isNothing, !reader.harmless.contains(name) {
        throw context.unsupported(
          "it is called with '\(name)', which is \(value), expected no more than \(reader.parameters.map { "'\($0[0])'" }.joined(separator: ", ")). Build the model without it."
        )
      }
    }
    let isOfTensorFlow: Bool = layer.type.hasSuffix("OpLambda")
    for (name, value) in layer.settings.values
    where !["name", "trainable", "function"].contains(name) && !(name == "dtype" && isOfTensorFlow)
    {
      try bind(name, KerasArgument(value, namesSources: false))
    }
    for (place, value) in call.arguments.enumerated() {
      try bind(reader.parameters.dropFirst(place).first?[0] ?? "\(place + 1)", value)
    }
    for (name, value) in call.named where name != "name" { try bind(name, value) }
    return found
  }

  /// All tensors that an unknown operation is called with.
  private let inputs: [KerasTensor]

  /// The name under which the operation is read: `true_divide`, and `truediv` where it is `tf.math.truediv`.
  private static func key(_ layer: KerasLayer) -> String {
    guard layer.type.hasSuffix("OpLambda") else { return KerasWeights.snakeCase(layer.type) }
    let function: String = layer.function ?? ""
    // Functions of TensorFlow 1 that resize place the points otherwise.
    if function.hasPrefix("compat.v1.image") { return function }
    return function.split(separator: ".").last.map(String.init) ?? ""
  }

  /// What the operation makes.
  func result() throws -> [KerasTensor] {
    if let reader { return try reader.read(self) }
    let options: ReadingOptions = context.network.options
    let names: [String?] = [layer.name, layer.function, layer.type]
    guard names.contains(where: { $0.map { options.customLayers[$0] != nil } ?? false }) else {
      throw context.unsupported(
        "the operation '\(layer.function ?? KerasWeights.snakeCase(layer.type))' on tensors cannot be read. Pass a class of yours that computes it: --custom '\(layer.name)=ClassName[:description]'."
      )
    }
    return try context.with(inputs, []).custom()
  }

  // MARK: - Parameters

  /// Whether a parameter says something.
  func has(_ name: String) -> Bool {
    if case .nothing = parameters[name] ?? .nothing { return false }
    return true
  }

  /// A parameter as the file states it.
  func argument(_ name: String) throws -> KerasArgument {
    guard let value = parameters[name] else {
      throw context.invalid("it is called without '\(name)'.")
    }
    return value
  }

  /// A tensor.
  func tensor(_ name: String = "x") throws -> KerasTensor {
    try context.tensor(argument(name))
  }

  /// Tensors in a list, or one alone.
  func tensors(_ name: String) throws -> [KerasTensor] {
    guard case .list(let list) = try argument(name) else { return [try tensor(name)] }
    return try list.map(context.tensor)
  }

  /// A text; another one where it is missing.
  func text(_ name: String, or standard: String) throws -> String {
    guard has(name) else { return standard }
    guard case .text(let text) = try argument(name) else { throw wrong(name, "a text") }
    return text
  }

  /// A truth value; another one where it is missing.
  func flag(_ name: String, or standard: Bool = false) throws -> Bool {
    guard has(name) else { return standard }
    switch try argument(name) {
    case .truth(let truth): return truth
    case .number(let number): return number != 0
    default: throw wrong(name, "True or False")
    }
  }

  /// A number; another one where it is missing.
  func number(_ name: String, or standard: Double) throws -> Double {
    guard has(name) else { return standard }
    guard let numbers = try numbers(argument(name)), numbers.count == 1 else {
      throw wrong(name, "a number that is known before the network runs")
    }
    return numbers[0]
  }

  /// Whole numbers in a list, or one; nil where they are missing. Numbers that follow from the extents of tensors
  /// count as known where those are.
  func ints(_ name: String) throws -> [Int]? {
    guard has(name) else { return nil }
    guard let found = try ints(of: argument(name)) else {
      throw wrong(name, "whole numbers that are known before the network runs")
    }
    return found
  }

  /// A whole number; nil where it is missing.
  func int(_ name: String) throws -> Int? {
    guard let found = try ints(name) else { return nil }
    guard found.count == 1 else { throw wrong(name, "a whole number") }
    return found[0]
  }

  /// The whole numbers of an argument; nil where they are not known.
  func ints(of argument: KerasArgument) throws -> [Int]? {
    guard let numbers = try numbers(argument) else { return nil }
    return try numbers.map { number in
      guard let whole = Int(exactly: number), whole.magnitude <= 1 << 40 else {
        throw context.invalid("it is called with \(number) where a whole number is expected.")
      }
      return whole
    }
  }

  /// The numbers of an argument; nil where they are not known.
  func numbers(_ argument: KerasArgument) throws -> [Double]? {
    switch argument {
    case .number(let number): return [number]
    case .truth(let truth): return [truth ? 1 : 0]
    case .array(let array): return array.reals
    case .list(let list):
      let parts: [[Double]] = try list.compactMap(numbers)
      return parts.count == list.count ? parts.flatMap { $0 } : nil
    case .tensor(let tensor):
      return try context.builder.constant(of: context.natural(tensor))?.tensor().reals
    default: return nil
    }
  }

  /// The error that a parameter is not what it should be.
  func wrong(_ name: String, _ expected: String) -> EngineError {
    context.unsupported(
      "'\(name)' is \((try? argument(name)).map { "\($0)" } ?? "missing"), expected \(expected).")
  }
}
