import CKernels
import Glibc

/// A node whose kernel is chosen by time: the request for its candidates, and the key under which the choice is stored.
///
/// The forms of the inputs in memory are not part of the key. All candidates of an operator are timed with inputs in
/// the same form, and a reorder before the node costs the same for all candidates.
struct TunedNode {
  /// The index of the first output in the graph.
  let output: Int
  let name: String
  let operation: any TunedOperator
  let inputs: [TensorType]
  let outputs: [TensorType]
  let constants: [Constant?]
  /// The number of multiply-adds of the operator's reference implementation.
  let multiplyAdds: Double

  /// Whether the network has more weights than stay in the caches from one prediction to the next, so that weights are
  /// read from memory.
  let isCold: Bool

  /// Returns all nodes of a graph whose kernels are worth timing.
  static func all(in graph: Graph) -> [TunedNode] {
    let constants = graph.nodes.flatMap(\.inputs).filter { graph[$0].constant != nil }
    let weights: Int = constants.reduce(0) { $0 + (graph[$1].type?.shape.count ?? 0) }
    let isCold: Bool = weights > lastCacheByteCount / 2 / MemoryLayout<Float>.stride
    return graph.nodes.compactMap { TunedNode($0, in: graph, isCold: isCold) }
  }

  private static let lastCacheByteCount: Int = {
    let known: Int = sysconf(Int32(_SC_LEVEL3_CACHE_SIZE))
    return known > 0 ? known : 32 << 20
  }()

  /// The fewest multiply-adds worth timing. A call with fewer multiply-adds takes only microseconds.
  private static let leastMultiplyAdds = 4e6

  /// The largest number of weights worth timing. More weights take long to pack, and all kernels then take about as
  /// long as reading the weights from memory.
  private static let mostWeights = 1 << 24

  /// Nil if the node's kernel is not worth timing.
  init?(_ node: Graph.Node, in graph: Graph, isCold: Bool = false) {
    guard let operation = node.operation as? any TunedOperator, let output = node.outputs.first
    else { return nil }
    let inputs: [TensorType] = node.inputs.compactMap { graph[$0].type }
    let outputs: [TensorType] = node.outputs.compactMap { graph[$0].type }
    guard inputs.count == node.inputs.count, outputs.count == node.outputs.count else {
      return nil
    }
    multiplyAdds = operation.multiplyAddCount(inputs, outputs)
    guard multiplyAdds >= Self.leastMultiplyAdds, multiplyAdds.isFinite,
      (inputs + outputs).allSatisfy({ $0.shape.count < 1 << 40 }),
      zip(node.inputs, inputs).allSatisfy({
        graph[$0].constant == nil || $1.shape.count <= Self.mostWeights
      })
    else { return nil }
    self.output = output.index
    name = node.name
    self.operation = operation
    self.isCold = isCold
    self.inputs = inputs
    self.outputs = outputs
    constants = node.inputs.map { graph[$0].constant }
  }

  /// Returns the key of a choice, which contains everything that the times depend on, except the machine. Images of
  /// about the same size share a key.
  func key(_ options: ExecutionOptions) -> String {
    let kinds: String = zip(inputs, constants).map { type, constant in
      "\(constant == nil ? Self.alike(type.shape) : type.shape)\(type.element == .float32 ? "" : " \(type.element)")"
        + (constant == nil ? "" : " constant")
        + (constant?.stored?.storedElement == .float16 ? " of float16" : "")
    }
    .joined(separator: "; ")
    let precision: String
    switch options.precision {
    case .bfloat16: precision = "bfloat16"
    case .bfloat16Pairs where options.processor.multipliesPairs: precision = "pairs"
    case .bfloat16Pairs, .float32: precision = "float32"
    }
    return operation.tuningKey + "; " + kinds + "; " + precision
      + (options.isTolerant ? " tolerant" : "") + (isCold ? " cold" : "")
      + (options.usesDynamicQuantization ? " quantising" : "")
      + "; \(options.threads) threads;"
      + " level \(ck_instructions())"
  }

  /// Returns a shape that stands for all shapes with about as many rows and columns. Keeps only the first four binary
  /// digits of each number of rows or columns.
  private static func alike(_ shape: Shape) -> Shape {
    guard shape.rank >= 3 else { return shape }
    var result: Shape = shape
    for axis in [-2, -1] {
      let shift: Int = max(0, Int.bitWidth - shape[axis].leadingZeroBitCount - 4)
      result[axis] = (shape[axis] >> shift) << shift
    }
    return result
  }

  /// Returns a part of the work that is large enough to be timed well: the operator, its inputs, and its share of the
  /// node's multiply-adds.
  func part(_ threads: Int) throws -> Part {
    let elements: Int = (inputs + outputs).reduce(0) { $0 + $1.shape.count }
    let wanted: Double = min(
      Self.timedMultiplyAdds * Double(threads) / multiplyAdds,
      Double(Self.timedByteCount) / Double(elements * MemoryLayout<Float>.stride))
    guard wanted * 2 < 1, let reduced = try operation.reduced(inputs, share: wanted),
      let made = try reduced.operation.outputTypes(
        for: zip(reduced.inputs, constants).map { OperatorInput($0, constant: $1) })
    else { return whole }
    let share: Double = reduced.operation.multiplyAddCount(reduced.inputs, made) / multiplyAdds
    guard share > 0, share < 1 else { return whole }
    return Part(
      operation: reduced.operation, inputs: reduced.inputs, outputs: made, share: share)
  }

  /// The entire work of the node.
  var whole: Part { Part(operation: operation, inputs: inputs, outputs: outputs, share: 1) }

  /// A part of a node's work, or all of it.
  struct Part {
    let operation: any TunedOperator
    let inputs: [TensorType]
    let outputs: [TensorType]
    /// The share of the node's multiply-adds.
    let share: Double
  }

  /// The number of multiply-adds that one thread does in a few milliseconds. Smaller parts might fit into a cache,
  /// and timing would then favour kernels that read much memory.
  private static let timedMultiplyAdds = 2.4e8

  /// The size of the timed part's inputs and outputs if the operator needs few multiply-adds per element. No cache
  /// holds so many bytes.
  private static let timedByteCount: Int = max(64 << 20, 2 * lastCacheByteCount)

  /// Returns the kernels of those candidates that fit a part, in the candidates' fixed order, with zeros as weights.
  func kernels(of part: Part, _ options: ExecutionOptions) throws -> [(
    name: String, kernel: Kernel
  )] {
    let request: KernelRequest = request(of: part, options)
    let elements: [ElementType] = (part.inputs + part.outputs).map(\.element)
    var result: [(name: String, kernel: Kernel)] = []
    for candidate in part.operation.candidates where candidate.takes(elements) {
      guard let kernel = try candidate.make(request) else { continue }
      result.append((candidate.name, kernel))
      if candidate.skipsTiming, result.count == 1 { break }
    }
    return result
  }

  /// The name of the kernel that the whole node takes without timing. Nil if its candidates are timed. A part of the node, which
  /// has fewer rows, may not fit that kernel.
  func untimedKernel(_ options: ExecutionOptions) throws -> String? {
    let request: KernelRequest = request(of: whole, options)
    let elements: [ElementType] = (inputs + outputs).map(\.element)
    return try operation.candidates.prefix { $0.skipsTiming }.first {
      try $0.takes(elements) && $0.make(request) != nil
    }?.name
  }

  private func request(of part: Part, _ options: ExecutionOptions) -> KernelRequest {
    let storage: ElementType = options.precision == .bfloat16 ? .bfloat16 : .float32
    let forms: [TensorDescriptor] = zip(part.inputs, constants).map { type, constant in
      guard operation.readsPictures, constant == nil, type.element == .float32,
        type.shape.rank >= 3
      else {
        return TensorDescriptor(type.shape, type.element)
      }
      return TensorDescriptor(type.shape, storage, .channelsLast)
    }
    return KernelRequest(
      name: name, inputs: forms, constants: constants, outputs: part.outputs,
      precision: options.precision, isTolerant: options.isTolerant,
      usesDynamicQuantization: options.usesDynamicQuantization, processor: options.processor,
      threads: options.threads, weights: .placeholders())
  }
}
