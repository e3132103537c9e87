/// Runs the regions of one node on values of one kind: the definition's numbers, or planned memory.
package protocol RegionRunner {
  /// What flows.
  associatedtype Value

  /// The most turns that a loop may take.
  var loopLimit: Int { get }

  /// Runs a region of the node.
  ///
  /// - Parameters:
  ///   - arguments: one value an input of the region; nil for those that do not exist.
  ///   - given: how many of the arguments, from the first one on, the caller has no more use for.
  ///   - outputs: gets one value an output of the region, whatever it held before.
  func run(
    _ region: Int, _ arguments: inout [Value?], giving given: Int, into outputs: inout [Value?]
  ) throws -> RegionExit

  /// The first element of a value; nil for empty ones.
  func number(in value: Value) -> Double?
}

extension RegionRunner {
  /// What a control operator means.
  ///
  /// - Parameters:
  ///   - graph: the graph of the node, for names in messages.
  ///   - inputs: one value an input of the node; nil for those that do not exist.
  /// - Returns: one value an output of the node, and how the region around goes on.
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
          .invalidModel, "no layer has made its condition '\(name)' on the way that was taken.")
      }
      let region: Int = try isTrue(condition, name) ? 0 : 1
      var outputs: [Value?] = []
      var arguments = Array(inputs.dropFirst())
      let exit = try run(region, &arguments, giving: 0, into: &outputs)
      return (outputs, exit)
    case .loop(let loop):
      let most: Int? =
        loop.countsByInput ? try turns(inputs[0], graph[node.inputs[0]].name) : loop.most
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
    var turns = 0
    while true {
      if loop.hasCondition {
        _ = try run(0, &arguments, giving: 0, into: &made)
        let condition: Value? = made[0]
        carry(carried, from: &made, 1, to: &arguments)
        let conditions: Graph = node.regions[0].graph
        guard let condition, try isTrue(condition, conditions[conditions.outputs[0]].name)
        else { break }
      }
      if let most, turns >= most { break }
      guard turns < loopLimit else {
        throw EngineError(
          .unsupported,
          "the loop has taken \(turns) rounds and would go on, which looks endless; a higher loopLimit allows more."
        )
      }
      let exit = try run(
        loop.hasCondition ? 1 : 0, &arguments, giving: carried, into: &made)
      carry(carried, from: &made, 0, to: &arguments)
      if exit == .breaksLoop { break }
      turns += 1
    }
  }

  /// Moves the values on; nobody holds the old ones any more, so that their memory can be used again.
  private func carry(
    _ count: Int, from made: inout [Value?], _ first: Int, to arguments: inout [Value?]
  ) {
    for position in 0..<count { arguments[position] = made[first + position] }
    for position in made.indices { made[position] = nil }
  }

  /// Whether a value counts as true: the magnitude of its first element is more than a millionth.
  private func isTrue(_ value: Value, _ name: String) throws -> Bool {
    guard let number = number(in: value) else {
      throw EngineError(
        .invalidInput, "the condition '\(name)' has no element, expected one number.")
    }
    return number.magnitude > 1e-6
  }

  private func turns(_ value: Value?, _ name: String) throws -> Int {
    guard let value else {
      throw EngineError(
        .invalidModel,
        "no layer has made its number of rounds '\(name)' on the way that was taken.")
    }
    guard let number = number(in: value), !number.isNaN else {
      throw EngineError(.invalidInput, "the number of rounds '\(name)' is not a number.")
    }
    return Int(bounding: number, to: 0...1_000_000_000_000_000)
  }
}
