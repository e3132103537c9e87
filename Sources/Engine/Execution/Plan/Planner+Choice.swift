extension Planner {
  /// The kernel that was found to be the fastest, or the first candidate that fits.
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
      .unsupported, "no kernel computes inputs of \(request.inputs) here."
    ).naming(node)
  }

  /// The kernels of a node in the order in which they are tried.
  private func kernels(of node: Graph.Node) -> [KernelCandidate] {
    var known: [KernelCandidate] = node.operation.allKernels
    if let choice = node.outputs.first.flatMap({ choices[$0.index] }) {
      // Several candidates may bear one name, each for some requests.
      known =
        known.filter { $0.name == choice.kernel } + known.filter { $0.name != choice.kernel }
    }
    guard let seed = options.kernelSeed else { return known }
    var generator = SampleGenerator(seed: seed &+ UInt64(node.outputs.first?.index ?? 0) &* 977)
    // The definition is the last.
    let last: Int = options.drawsDefinitions ? 0 : 1
    return known.dropLast(last).shuffled(using: &generator) + known.suffix(last)
  }
}
