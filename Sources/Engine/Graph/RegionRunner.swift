/// Runs the regions of one node, either on reference tensors or in the memory of a plan.
package protocol RegionRunner {
  /// The type of the values.
  associatedtype Value

  /// The maximum number of iterations of a loop.
  var loopLimit: Int { get }

  /// Runs a region of the node.
  ///
  /// - Parameters:
  ///   - arguments: One value per input of the region; nil for an input that does not exist.
  ///   - given: The caller does not need this many arguments, counted from the first, after the call.
  ///   - outputs: Receives one value per output of the region. The call replaces the old contents of this array.
  func run(
    _ region: Int, _ arguments: inout [Value?], giving given: Int, into outputs: inout [Value?]
  ) throws -> RegionExit

  /// Returns the first element of a value; nil if the value is empty.
  func number(in value: Value) -> Double?
}

extension RegionRunner {
  /// Runs a control node.
  ///
  /// - Parameters:
  ///   - graph: The graph that contains the node. Messages take the names of values from it.
  ///   - inputs: One value per input of the node; nil for an input that does not exist.
  /// - Returns: One value per output of the node, and how the region that contains the node continues.
  package func run(_ node: Graph.Node, _ rule: ControlRule, in graph: Graph, _ inputs: [Value?])
    throws
    -> (outputs: [Value?], exit: RegionExit)
  {
    switch rule {
    case .leave(let exit): return ([], exit)
    case .branch:
      let name: String = graph[node.inputs[0]].name
      guard let condition = inputs[0] else {
        throw EngineError(
          .invalidModel, "no layer made its condition '\(name)' in the branches and loops that ran."
        )
      }
      let region: Int = try isTrue(condition, name) ? 0 : 1
      var outputs: [Value?] = []
      var arguments = Array(inputs.dropFirst())
      let exit = try run(region, &arguments, giving: 0, into: &outputs)
      return (outputs, exit)
    case .loop(let loop):
      let most: Int? =
        loop.countsByInput ? try iterations(inputs[0], graph[node.inputs[0]].name) : loop.most
      var arguments = Array(inputs.dropFirst(loop.countsByInput ? 1 : 0))
      try run(loop, node, most, &arguments)
      return (Array(arguments.prefix(node.outputs.count)), .end)
    }
  }

  private func run(
    _ loop: LoopRule, _ node: Graph.Node, _ most: Int?, _ arguments: inout [Value?]
  ) throws {
    let carried: Int = node.outputs.count
    var made: [Value?] = []
    var iterations = 0
    while true {
      if loop.hasCondition {
        _ = try run(0, &arguments, giving: 0, into: &made)
        let condition: Value? = made[0]
        carry(carried, from: &made, 1, to: &arguments)
        let conditions: Graph = node.regions[0].graph
        guard let condition, try isTrue(condition, conditions[conditions.outputs[0]].name)
        else { break }
      }
      if let most, iterations >= most { break }
      guard iterations < loopLimit else {
        throw EngineError(
          .unsupported,
          "the loop has run \(iterations) iterations without an end; set a higher loopLimit to allow more."
        )
      }
      let exit = try run(
        loop.hasCondition ? 1 : 0, &arguments, giving: carried, into: &made)
      carry(carried, from: &made, 0, to: &arguments)
      if exit == .breaksLoop { break }
      iterations += 1
    }
  }

  /// Moves the carried values from `made` to the arguments. The carried values are the `count` values from the index
  /// `first` on. Removes all values from `made`, so that the memory of values that are not carried can be reused.
  private func carry(
    _ count: Int, from made: inout [Value?], _ first: Int, to arguments: inout [Value?]
  ) {
    for position in 0..<count { arguments[position] = made[first + position] }
    for position in made.indices { made[position] = nil }
  }

  /// Returns whether a condition is true. It is true if the magnitude of its first element exceeds one millionth.
  private func isTrue(_ value: Value, _ name: String) throws -> Bool {
    guard let number = number(in: value) else {
      throw EngineError(
        .invalidInput, "the condition '\(name)' has no element, expected one number.")
    }
    return number.magnitude > 1e-6
  }

  private func iterations(_ value: Value?, _ name: String) throws -> Int {
    guard let value else {
      throw EngineError(
        .invalidModel,
        "no layer made its number of iterations '\(name)' in the branches and loops that ran.")
    }
    guard let number = number(in: value), !number.isNaN else {
      throw EngineError(.invalidInput, "the number of iterations '\(name)' is not a number.")
    }
    return Int(bounding: number, to: 0...1_000_000_000_000_000)
  }
}
