import Graph
import Operators
import Tensors

/// An operation on tensors that is being read. It is an operation of `keras.ops` or a function of TensorFlow. Keras 3
/// writes an operation like a layer. Keras 2 writes a function of TensorFlow as `TFOpLambda` or `SlicingOpLambda`.
struct KerasOperation {
  let layer: KerasLayer
  let context: KerasContext
  private let reader: KerasOperationReader?
  private let parameters: [String: KerasArgument]

  /// Reads an operation with its arguments.
  ///
  /// - Throws: ``EngineError`` if the operation has arguments that its reader does not read.
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

  /// Returns the argument of each parameter, by the parameter's first name. Arguments come from the settings, and from
  /// the call by position or by name.
  private static func bound(
    _ layer: KerasLayer, _ call: KerasCall, _ reader: KerasOperationReader, _ context: KerasContext
  ) throws -> [String: KerasArgument] {
    var found: [String: KerasArgument] = [:]
    func bind(_ name: String, _ value: KerasArgument) throws {
      if let parameter = reader.parameter(named: name) {
        found[parameter] = value
      } else if !value.isNothing, !reader.harmless.contains(name) {
        throw context.unsupported(
          "it is called with '\(name)' (\(value)), expected only \(reader.parameters.map { "'\($0[0])'" }.joined(separator: ", ")). Build the model without it."
        )
      }
    }
    let isOfTensorFlow: Bool = layer.type.hasSuffix("OpLambda")
    for (name, value) in layer.settings.values
    where !["name", "trainable", "function"].contains(name) && !(name == "dtype" && isOfTensorFlow)
    {
      try bind(name, KerasArgument(value, namesSources: false))
    }
    for (position, value) in call.arguments.enumerated() {
      try bind(reader.parameters.dropFirst(position).first?[0] ?? "\(position + 1)", value)
    }
    for (name, value) in call.named where name != "name" { try bind(name, value) }
    return found
  }

  /// All tensors among the arguments. Only unknown operations use them.
  private let inputs: [KerasTensor]

  /// Returns the name that selects the operation's reader: `true_divide` for an operation of Keras, or `truediv` for
  /// `tf.math.truediv`.
  private static func key(_ layer: KerasLayer) -> String {
    guard layer.type.hasSuffix("OpLambda") else { return KerasWeights.snakeCase(layer.type) }
    let function: String = layer.function ?? ""
    // The resizing functions of TensorFlow 1 use another sampling grid than those of TensorFlow 2.
    if function.hasPrefix("compat.v1.image") { return function }
    return function.split(separator: ".").last.map(String.init) ?? ""
  }

  /// Adds the operators of the operation and returns its outputs.
  func result() throws -> [KerasTensor] {
    if let reader { return try reader.read(self) }
    let options: ReadingOptions = context.network.options
    let names: [String?] = [layer.name, layer.function, layer.type]
    guard names.contains(where: { $0.map { options.customLayers[$0] != nil } ?? false }) else {
      throw context.unsupported(
        "the operation '\(layer.function ?? KerasWeights.snakeCase(layer.type))' on tensors is not supported. Pass your own class that computes it: --custom '\(layer.name)=ClassName[:description]'."
      )
    }
    return try context.with(inputs, []).custom()
  }

  // MARK: - Parameters

  /// Returns whether a parameter has a value other than `None`.
  func has(_ name: String) -> Bool {
    if case .nothing = parameters[name] ?? .nothing { return false }
    return true
  }

  /// Returns the argument of a parameter.
  func argument(_ name: String) throws -> KerasArgument {
    guard let value = parameters[name] else {
      throw context.invalid("it is called without '\(name)'.")
    }
    return value
  }

  /// Returns the argument of a parameter as a tensor.
  func tensor(_ name: String = "x") throws -> KerasTensor {
    try context.tensor(argument(name))
  }

  /// Returns the tensors of a list argument. A single tensor becomes a list of one tensor.
  func tensors(_ name: String) throws -> [KerasTensor] {
    guard case .list(let list) = try argument(name) else { return [try tensor(name)] }
    return try list.map(context.tensor)
  }

  /// Returns a string argument, or `standard` if the argument is missing.
  func text(_ name: String, or standard: String) throws -> String {
    guard has(name) else { return standard }
    guard case .text(let text) = try argument(name) else { throw wrong(name, "a string") }
    return text
  }

  /// Returns a boolean argument, or `standard` if the argument is missing.
  func flag(_ name: String, or standard: Bool = false) throws -> Bool {
    guard has(name) else { return standard }
    switch try argument(name) {
    case .truth(let truth): return truth
    case .number(let number): return number != 0
    default: throw wrong(name, "True or False")
    }
  }

  /// Returns a number, or `standard` if the argument is missing.
  func number(_ name: String, or standard: Double) throws -> Double {
    guard has(name) else { return standard }
    guard let numbers = try numbers(argument(name)), numbers.count == 1 else {
      throw wrong(name, "a number that is known before the network runs")
    }
    return numbers[0]
  }

  /// Returns a list of integers. A single integer becomes a list of one integer. Nil if the argument is missing. The
  /// model may compute the argument from extents of tensors. These extents must then be known to the reader.
  func ints(_ name: String) throws -> [Int]? {
    guard has(name) else { return nil }
    guard let found = try ints(of: argument(name)) else {
      throw wrong(name, "integers that are known before the network runs")
    }
    return found
  }

  /// Returns an integer. Nil if the argument is missing.
  func int(_ name: String) throws -> Int? {
    guard let found = try ints(name) else { return nil }
    guard found.count == 1 else { throw wrong(name, "an integer") }
    return found[0]
  }

  /// Returns the integers of an argument. Nil if an integer is not known before the model runs.
  func ints(of argument: KerasArgument) throws -> [Int]? {
    guard let numbers = try numbers(argument) else { return nil }
    return try numbers.map { number in
      guard let integer = Int(exactly: number), integer.magnitude <= 1 << 40 else {
        throw context.invalid("it is called with \(number), expected an integer.")
      }
      return integer
    }
  }

  /// Returns the numbers of an argument. Nil if a number is not known before the model runs.
  func numbers(_ argument: KerasArgument) throws -> [Double]? {
    switch argument {
    case .number(let number): return [number]
    case .truth(let truth): return [truth ? 1 : 0]
    case .array(let array): return array.reals
    case .list(let list):
      let parts: [[Double]] = try list.compactMap(numbers)
      return parts.count == list.count ? parts.flatMap { $0 } : nil
    case .tensor(let tensor):
      return try context.builder.constant(of: context.kerasOrdered(tensor))?.tensor().reals
    default: return nil
    }
  }

  /// Returns an error that says what the argument of a parameter is and what was expected.
  func wrong(_ name: String, _ expected: String) -> EngineError {
    context.unsupported(
      "'\(name)' is \((try? argument(name)).map { "\($0)" } ?? "missing"), expected \(expected).")
  }
}
