import Engine
import Operators

/// A graph that is planned once and run many times on the same memory: what trainers stand on.
///
/// Not for two threads at once.
final class PlannedGraph {
  private let session: Session
  private let ports: [Plan.Port]
  private let results: [Plan.Port]

  /// Plans a graph whose types are known; inputs are dense float32.
  init(_ graph: Graph, options: ExecutionOptions) throws {
    let types: [TensorType] = try graph.inputs.map { input in
      guard let type = graph[input].type else {
        throw EngineError(
          .invalidInput, "The input '\(graph[input].name)' has no shape; training needs one.")
      }
      return type
    }
    var plain = graph
    plain.imageInputs = [:]
    plain.imageOutputs = [:]
    let network = Network(plain, passes: GraphPasses.standard, options: options)
    let plan = try network.plan(for: types).plan
    session = try Session(plan)
    ports = plan.inputs
    results = plan.outputs
  }

  /// The memory of the plan's tensors, in bytes.
  var arenaByteCount: Int { session.plan.arenaByteCount }
  /// How the machine computes it, for listings.
  var plan: Plan { session.plan }

  /// Writes an input, row-major.
  func write(_ index: Int, _ values: UnsafeBufferPointer<Float>) {
    let form = ports[index].location.form
    precondition(
      form.storage == .float32 && form.layout == .dense && form.shape.count == values.count,
      "'\(ports[index].name)' is \(form), \(values.count) values were given")
    guard let base = values.baseAddress else { return }
    // Safe: the input holds as many floats, at least until the run.
    session.pointer(ports[index].location).copyMemory(from: base, byteCount: values.count * 4)
  }

  /// Computes.
  func run() throws { try session.run() }

  /// Reads an output, row-major, in whatever form the plan keeps it.
  func read(_ index: Int, into values: UnsafeMutableBufferPointer<Float>) throws {
    let form = results[index].location.form
    precondition(form.shape.count == values.count, "'\(results[index].name)' is \(form)")
    guard let base = values.baseAddress else { return }
    try session.store(index, into: base)
  }

  /// Reads an output.
  func read(_ index: Int) throws -> [Float] {
    let count: Int = results[index].location.form.shape.count
    return try [Float](unsafeUninitializedCapacity: count) { buffer, initialized in
      try read(index, into: UnsafeMutableBufferPointer(rebasing: buffer[..<count]))
      initialized = count
    }
  }
}
