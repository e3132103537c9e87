import Engine
import Operators

/// A graph that is planned once and run many times in the same memory. ``Trainer`` and ``DifferentiableFunction`` run
/// their graphs through this class.
///
/// A planned graph must not be used from two threads at the same time.
final class PlannedGraph {
  private let session: Session
  private let ports: [Plan.Port]
  private let results: [Plan.Port]

  /// Plans a graph whose inputs have types. All inputs are dense float32 tensors.
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
  /// The plan by which this machine computes the graph, for listings.
  var plan: Plan { session.plan }

  /// Writes the values of the input with this index, in row-major order.
  func write(_ index: Int, _ values: UnsafeBufferPointer<Float>) {
    let form = ports[index].location.form
    precondition(
      form.storage == .float32 && form.layout == .dense && form.shape.count == values.count,
      "'\(ports[index].name)' is \(form), but \(values.count) values are given")
    guard let base = values.baseAddress else { return }
    // Safe: the memory of the input holds this many floats, and nothing reuses the memory before the run.
    session.pointer(ports[index].location).copyMemory(from: base, byteCount: values.count * 4)
  }

  /// Computes the outputs from the inputs that were written.
  func run() throws { try session.run() }

  /// Reads the output with this index into an array in row-major order. Converts the output if it has another layout or
  /// number format in memory.
  func read(_ index: Int, into values: UnsafeMutableBufferPointer<Float>) throws {
    let form = results[index].location.form
    precondition(form.shape.count == values.count, "'\(results[index].name)' is \(form)")
    guard let base = values.baseAddress else { return }
    try session.store(index, into: base)
  }

  /// Returns the output with this index in row-major order.
  func read(_ index: Int) throws -> [Float] {
    let count: Int = results[index].location.form.shape.count
    return try [Float](unsafeUninitializedCapacity: count) { buffer, initialized in
      try read(index, into: UnsafeMutableBufferPointer(rebasing: buffer[..<count]))
      initialized = count
    }
  }
}
