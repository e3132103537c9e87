import Graph
import ModelFormat
import Operators

/// Builds the graph of a block, operation by operation.
///
/// A block inside of an operation has its own builder. If the block does not define a name, the outer block provides
/// the name's value. A constant is copied into the region. Any other value becomes an argument of the region.
package final class ProgramBuilder {
  /// The graph under construction.
  package var graph = Graph()
  /// The context that all operations of the program share.
  package let context: ProgramContext
  /// The function's opset.
  package let opset: Opset
  /// The builder of the outer block.
  private let parent: ProgramBuilder?
  private var scope: [String: ProgramValue] = [:]
  /// The values that the block captures from the outer block, in the order of their first use. Each entry has the
  /// value's name, and the argument through which the block gets the value.
  package private(set) var captures: [(name: String, inner: Graph.ValueID)] = []
  /// The newest value of each state, by the state's name.
  package var states: [String: ProgramTensor] = [:]
  /// The results of `classify`, if the program is a classifier.
  package var classification: ProgramClassification?

  /// Makes a builder of a function's block.
  package init(_ context: ProgramContext, opset: Opset) {
    self.context = context
    self.opset = opset
    parent = nil
  }

  /// Makes a builder of a block that is inside of an operation.
  package init(inside parent: ProgramBuilder) {
    context = parent.context
    opset = parent.opset
    self.parent = parent
  }

  /// The nesting depth of the block. The block of a function has depth 1.
  package var depth: Int { (parent?.depth ?? 0) + 1 }

  /// Binds a name to a value.
  package func bind(_ name: String, to value: ProgramValue) { scope[name] = value }

  /// Returns the value of a name. Nil if no earlier operation or outer block defines the name.
  package func lookup(_ name: String) -> ProgramValue? {
    if let known = scope[name] { return known }
    guard let outer = parent?.lookup(name) else { return nil }
    let inner: ProgramValue
    switch outer {
    case .strings, .state: return outer
    case .tensor(let tensor): inner = .tensor(taken(tensor, name))
    case .list(let list): inner = .list(taken(list, name))
    }
    scope[name] = inner
    return inner
  }

  private func taken(_ outer: ProgramTensor, _ name: String) -> ProgramTensor {
    var inner = outer
    if let constant = outer.constant {
      inner.id = graph.addConstant(constant, name: name)
    } else {
      inner.id = graph.addValue(name)
      captures.append((name, inner.id))
    }
    return inner
  }

  /// Adds an operator.
  package func add(
    _ operation: any Operator, _ inputs: [Graph.ValueID], outputs: Int, name: String,
    regions: [Graph.Region] = []
  ) -> [Graph.ValueID] {
    let made: [Graph.ValueID] = (0..<outputs).map { index in
      graph.addValue(outputs == 1 ? name : "\(name) \(index)")
    }
    graph.nodes.append(
      Graph.Node(
        name: name, operation: operation, inputs: inputs, outputs: made, regions: regions))
    return made
  }

  /// Adds a constant value.
  package func addConstant(_ constant: Constant, name: String) -> Graph.ValueID {
    graph.addConstant(constant, name: name)
  }

  /// Adds an input of the graph. `type` is the input's type in the program.
  package func addInput(_ name: String, _ type: WrittenType) -> ProgramTensor {
    let value: Graph.ValueID = graph.addValue(name)
    graph.inputs.append(value)
    return ProgramTensor(value, type.element, type.extents)
  }

  /// Adds the operations of a block.
  package func add(_ operations: [Spec.MILSpec.Operation]) throws {
    for operation in operations {
      do {
        try add(operation)
      } catch let error as EngineError {
        throw error.naming(operation.type, ProgramOperation.name(of: operation))
      } catch let error as ModelFormatError {
        throw EngineError(
          .invalidModel,
          "\(operation.type) '\(ProgramOperation.name(of: operation))': \(error.message)")
      }
    }
  }

  private func add(_ message: Spec.MILSpec.Operation) throws {
    guard let reader = context.catalog[message.type] else {
      throw EngineError(
        .unsupported,
        "operations of this type are not supported yet; `atelier layers` lists those that are.")
    }
    let operation = try ProgramOperation(message, inputs: try inputs(of: message), builder: self)
    guard !message.outputs.isEmpty || reader.hasNoOutput else {
      throw EngineError(.invalidModel, "the operation has no output. The file may be damaged.")
    }
    let results: [ProgramResult] = try reader.read(operation)
    guard results.count == message.outputs.count else {
      throw EngineError(
        .invalidModel,
        "the operation makes \(results.count) values, but the program names \(message.outputs.count)."
      )
    }
    for (position, result) in results.enumerated() {
      try bind(
        message.outputs[position].name, to: result, written: operation.outputs[position],
        reader.rounding)
    }
  }

  private func inputs(of message: Spec.MILSpec.Operation) throws -> [String: [ProgramValue]] {
    var result: [String: [ProgramValue]] = [:]
    for (name, argument) in message.inputs {
      result[name] = try argument.arguments.map { try value(of: $0) }
    }
    return result
  }

  private func value(of binding: Spec.MILSpec.Argument.Binding) throws -> ProgramValue {
    switch binding.binding {
    case .name(let name)?:
      guard let value = lookup(name) else {
        throw EngineError(
          .invalidModel, "it reads '\(name)', which no input and no earlier operation makes.")
      }
      return value
    case .value(let message)?:
      return hold(try ProgramLiteral(message, in: context), name: "")
    case nil: throw EngineError(.invalidModel, "an input has no value. The file may be damaged.")
    }
  }

  /// Adds a constant to the graph.
  package func hold(_ literal: ProgramLiteral, name: String) -> ProgramValue {
    switch literal {
    case .strings(let strings): return .strings(strings)
    case .tensor(let constant, let element):
      return .tensor(
        ProgramTensor(
          addConstant(constant, name: name), element, constant.shape.dimensions,
          constant: constant))
    }
  }

  /// Rounds a result to the type that the program states for it. Then binds the name of the output to the result.
  private func bind(
    _ name: String, to result: ProgramResult, written: WrittenType?,
    _ rounding: OperationReader.Rounding
  ) throws {
    switch result {
    case .same(let value): scope[name] = value
    case .literal(let literal): scope[name] = hold(literal, name: name)
    case .value(let made), .list(let made, _):
      guard let written else {
        throw EngineError(.invalidModel, "the output '\(name)' has no type.")
      }
      var value: Graph.ValueID = made
      if rounding == .computed, written.element == .float16, graph[made].constant == nil {
        value = add(RoundOperator(to: .float16), [made], outputs: 1, name: name)[0]
      }
      if written.element == .float16 { graph[value].narrowType = .float16 }
      let isNew: Bool = graph.nodes.last?.outputs.contains(value) ?? false
      if isNew { graph[value].name = name }
      var tensor = ProgramTensor(
        value, written.element, written.extents, constant: graph[value].constant)
      if case .list(_, let grows) = result {
        (tensor.constant, tensor.grows) = (nil, grows)
        scope[name] = .list(tensor)
      } else {
        scope[name] = .tensor(tensor)
      }
    }
  }
}

/// The result of the operation `classify`: a label, and one probability per class.
package struct ProgramClassification: Sendable {
  /// The classes in the order of the probabilities.
  package var classes: ProgramGraph.Classes
  /// The value of the graph that holds the probabilities.
  package var probabilities: Graph.ValueID
  /// The names of the operation's outputs: the label, and the dictionary of probabilities.
  package var outputs: [String]
}
