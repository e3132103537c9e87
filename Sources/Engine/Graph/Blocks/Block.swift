import ModelFormat

/// A nested network: the body of a loop, its condition, or one side of a branch.
///
/// It shares the names of the network around it. What it reads of them are the inputs of its graph;
/// what it writes is given back name by name, as it stood when the last layer ran.
public final class Block: Sendable {
  /// A name of the surrounding network.
  public struct Capture: Sendable, Hashable {
    /// The name.
    public var name: String
    /// The first layer that reads it; nil for a name that may be missing.
    public var reader: String?

    /// A capture; without a reader the name may be missing.
    public init(_ name: String, reader: String? = nil) {
      self.name = name
      self.reader = reader
    }
  }

  /// What it computes; its inputs are the captures.
  public let graph: Graph
  /// What it reads of the network around it.
  public let captures: [Capture]
  /// The names that it writes and that others may read.
  public let writes: [String]
  /// The values under each written name, in the order of their making.
  package let versions: [[Graph.ValueID]]

  /// The graph of a nested network.
  ///
  /// - Throws: `EngineError` that names the layer, as for the network around.
  public init(_ network: Spec.NeuralNetwork, in context: NetworkContext) throws {
    guard context.nesting < Block.deepest else {
      throw EngineError(
        .invalidModel,
        "networks are nested \(context.nesting) deep, at most \(Block.deepest) are supported. The file may be corrupt."
      )
    }
    var inner = context
    inner.nesting += 1
    var builder = NeuralNetworkBuilder(context: inner, captures: true)
    for layer in network.layers { try builder.add(layer) }
    graph = builder.graph
    captures = builder.captured
    var names: [String] = []
    var versions: [String: [Graph.ValueID]] = [:]
    for value in graph.nodes.flatMap(\.outputs) {
      let name = graph[value].name
      guard context.isShared(name) else { continue }
      if versions[name] == nil { names.append(name) }
      versions[name, default: []].append(value)
    }
    writes = names
    self.versions = names.map { versions[$0] ?? [] }
  }

  private static let deepest = 64

  /// The values that may leave the block.
  package var leaving: Set<Graph.ValueID> { Set(versions.joined()) }

  /// What each written name stands for, when the layers have run as far as `values` tells.
  package func results<Tensor>(_ values: [Tensor?]) -> [Tensor?] {
    versions.map { versions in
      for version in versions.reversed() {
        if let value = values[version.index] { return value }
      }
      return nil
    }
  }
}

extension Block {
  /// The names of a network's tree that one network may write and another one read.
  ///
  /// - Parameter outputs: what is read from outside of the tree.
  package static func sharedNames(_ layers: [Spec.NeuralNetworkLayer], outputs: [String]) -> Set<String>? {
    guard layers.contains(where: { !$0.nested.isEmpty }) else { return nil }
    var shared = Set(outputs)
    collect(layers, into: &shared)
    return shared
  }

  /// Adds what a network reads without having written it before, and what it reads of what the
  /// networks inside of it write. The second is more than is needed: everything that it reads behind
  /// a branch or a loop.
  private static func collect(_ layers: [Spec.NeuralNetworkLayer], into shared: inout Set<String>) {
    var written: Set<String> = []
    for layer in layers {
      for name in layer.input where !written.contains(name) { shared.insert(name) }
      written.formUnion(layer.output)
      for network in layer.nested { collect(network.layers, into: &shared) }
      if case .loop(let loop)? = layer.layer { shared.insert(loop.conditionVar) }
      if !layer.nested.isEmpty { written = [] }
    }
  }
}

extension Spec.NeuralNetworkLayer {
  /// The networks that the layer holds.
  fileprivate var nested: [Spec.NeuralNetwork] {
    switch layer {
    case .branch(let branch)?: return [branch.ifBranch, branch.elseBranch].compactMap { $0 }
    case .loop(let loop)?: return [loop.conditionNetwork, loop.bodyNetwork].compactMap { $0 }
    default: return []
    }
  }
}
