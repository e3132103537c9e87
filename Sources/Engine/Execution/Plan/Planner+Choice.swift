extension Planner {
  /// Returns the fastest measured kernel, or else the first candidate that fits.
  func choose(for node: Graph.Node, _ request: KernelRequest) throws -> (String, Kernel) {
    let elements: [ElementType] = node.inputs.compactMap { graph[$0].type?.element }
    let all: [ElementType] = elements + request.outputs.map(\.element)
    for candidate in kernels(of: node) where candidate.takes(all) {
      do {
        if let kernel = try candidate.make(request) { return (candidate.name, kernel) }
      } catch let error as EngineError {
        throw error.naming(node)
      }
    }
    throw EngineError(
      .unsupported, "no kernel of this machine takes inputs of \(request.inputs)."
    ).naming(node)
  }

  /// Returns a node's kernels in the order in which they are tried.
  private func kernels(of node: Graph.Node) -> [KernelCandidate] {
    var known: [KernelCandidate] = node.operation.allKernels
    if let choice = node.outputs.first.flatMap({ choices[$0.index] }) {
      // Several candidates may have the same name. Each of them then fits requests that the others do not fit.
      known =
        known.filter { $0.name == choice.kernel } + known.filter { $0.name != choice.kernel }
    }
    guard let seed = options.kernelSeed else { return known }
    var generator = SplitMix64(seed: seed &+ UInt64(node.outputs.first?.index ?? 0) &* 977)
    // The reference implementation is the last candidate.
    let last: Int = options.drawsDefinitions ? 0 : 1
    return known.dropLast(last).shuffled(using: &generator) + known.suffix(last)
  }
}
