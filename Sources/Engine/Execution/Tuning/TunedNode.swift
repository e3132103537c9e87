import CKernels
import Glibc

/// A node whose kernel is chosen by time: what its candidates are asked with, and the key under which the
/// answer is remembered.
///
/// The forms in which producers keep the inputs are not part of it: candidates of tuned operators read
/// channels-last pictures, and reorders in front of them cost all the same.
struct TunedNode {
  /// The index of the first output in the graph.
  let output: Int
  let name: String
  let operation: any TunedOperator
  let inputs: [TensorType]
  let outputs: [TensorType]
  let constants: [Constant?]
  /// The products that the definition makes.
  let products: Double

  /// Whether the network has more weights than caches keep from one prediction to the next, so that they are
  /// read from memory.
  let isCold: Bool

  /// All nodes of a graph whose kernels are worth timing.
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

  /// Below so many products a call takes microseconds, which are not worth the timing.
  private static let leastProducts = 4e6

  /// More weights than that take long to be set out, and kernels only as long as memory takes to read them.
  private static let mostWeights = 1 << 24

  /// Nil for a node whose kernel is not worth timing.
  init?(_ node: Graph.Node, in graph: Graph, isCold: Bool = false) {
    guard let operation = node.operation as? any TunedOperator, let output = node.outputs.first
    else { return nil }
    let inputs: [TensorType] = node.inputs.compactMap { graph[$0].type }
    let outputs: [TensorType] = node.outputs.compactMap { graph[$0].type }
    guard inputs.count == node.inputs.count, outputs.count == node.outputs.count else {
      return nil
    }
    products = operation.productCount(inputs, outputs)
    guard products >= Self.leastProducts, products.isFinite,
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

  /// What choices are remembered by: all that the times depend on, beside the machine. Pictures of
  /// about the same size share a key.
  func key(_ options: ExecutionOptions) -> String {
    let kinds: String = zip(inputs, constants).map { type, constant in
      "\(constant == nil ? Self.alike(type.shape) : type.shape)\(type.element == .float32 ? "" : " \(type.element)")"
        + (constant == nil ? "" : " constant")
    }
    .joined(separator: "; ")
    let precision: String = options.precision == .bfloat16 ? "bfloat16" : "float32"
    return operation.tuningKey + "; " + kinds + "; " + precision
      + (options.isTolerant ? " tolerant" : "") + (isCold ? " cold" : "")
      + "; \(options.threads) threads;"
      + " level \(ck_instructions())"
  }

  /// The shape that stands for those with about as many rows and columns: sides with their first four binary
  /// digits.
  private static func alike(_ shape: Shape) -> Shape {
    guard shape.rank >= 3 else { return shape }
    var result: Shape = shape
    for axis in [-2, -1] {
      let shift: Int = max(0, Int.bitWidth - shape[axis].leadingZeroBitCount - 4)
      result[axis] = (shape[axis] >> shift) << shift
    }
    return result
  }

  /// A part of the work that takes about as long as it needs to be timed well: the operator, its inputs, and
  /// the share of all products.
  func part(_ threads: Int) throws -> Part {
    let elements: Int = (inputs + outputs).reduce(0) { $0 + $1.shape.count }
    let wanted: Double = min(
      Self.timedProducts * Double(threads) / products,
      Double(Self.timedByteCount) / Double(elements * MemoryLayout<Float>.stride))
    guard wanted * 2 < 1, let reduced = try operation.reduced(inputs, share: wanted),
      let made = try reduced.operation.outputTypes(
        for: zip(reduced.inputs, constants).map { OperatorInput($0, constant: $1) })
    else { return whole }
    let share: Double = reduced.operation.productCount(reduced.inputs, made) / products
    guard share > 0, share < 1 else { return whole }
    return Part(
      operation: reduced.operation, inputs: reduced.inputs, outputs: made, share: share)
  }

  /// All of a node's work.
  var whole: Part { Part(operation: operation, inputs: inputs, outputs: outputs, share: 1) }

  /// Work that stands for a node's.
  struct Part {
    let operation: any TunedOperator
    let inputs: [TensorType]
    let outputs: [TensorType]
    /// The share of the node's products.
    let share: Double
  }

  /// Products that one thread makes in some milliseconds; parts that caches hold flatter kernels that read much.
  private static let timedProducts = 2.4e8

  /// Inputs and outputs that no cache holds, for kernels that make few products of each.
  private static let timedByteCount: Int = max(64 << 20, 2 * lastCacheByteCount)

  /// The kernels of the candidates that fit a part, in their fixed order, with weights that hold zeros.
  func kernels(of part: Part, _ options: ExecutionOptions) throws -> [(
    name: String, kernel: Kernel
  )] {
    let storage: ElementType = options.precision == .bfloat16 ? .bfloat16 : .float32
    let forms: [TensorDescriptor] = zip(part.inputs, constants).map { type, constant in
      guard operation.readsPictures, constant == nil, type.element == .float32,
        type.shape.rank >= 3
      else {
        return TensorDescriptor(type.shape, type.element)
      }
      return TensorDescriptor(type.shape, storage, .channelsLast)
    }
    let request = KernelRequest(
      name: name, inputs: forms, constants: constants, outputs: part.outputs,
      precision: options.precision, isTolerant: options.isTolerant, processor: options.processor,
      threads: options.threads, weights: .standIns())
    let elements: [ElementType] = (part.inputs + part.outputs).map(\.element)
    var result: [(name: String, kernel: Kernel)] = []
    for candidate in part.operation.candidates where candidate.takes(elements) {
      guard let kernel = try candidate.make(request) else { continue }
      result.append((candidate.name, kernel))
      if candidate.isSettled, result.count == 1 { break }
    }
    return result
  }
}
