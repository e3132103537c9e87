import CKernels
import Dispatch
import Engine
import Foundation
import NetworkRuns
import Operators
import Platform
import Testing

/// Tests random graphs of all operators in all types that they declare.
///
/// `ATELIER_GRAPHS` is the number of graphs (4,000 by default). `ATELIER_GRAPH_SEED` is the first seed.
@Suite("Random graphs of all operators")
struct SampleGraphTests {
  /// A configuration for running a graph: the order of kernels, the instruction sets, the precision and the threads.
  private struct Machine: CustomStringConvertible {
    var options: ExecutionOptions
    var instructions: Int32

    init(seed: UInt64) {
      var generator = SplitMix64(seed: seed &+ 77)
      let bits = generator.next()
      options = ExecutionOptions(
        precision: bits % 8 < 2 ? .bfloat16 : .float32, threads: bits / 8 % 2 == 0 ? 1 : 2)
      if bits / 16 % 4 > 0 { options.kernelSeed = bits }
      if bits / 64 % 8 == 0 {
        let emulates: Bool = bits / 2048 % 2 == 0
        options.processor = Processor(
          hasAVX512: true, hasBFloat16: true, hasMatrixTiles: !emulates,
          emulatesMatrixTiles: emulates)
      }
      instructions = Int32(truncatingIfNeeded: bits / 512 % 4)
    }

    var description: String {
      let order = options.kernelSeed == nil ? "in their order" : "in any order"
      let tiles: String = options.processor.emulatesMatrixTiles ? ", emulated tiles" : ""
      return "\(options.precision), instructions \(instructions), kernels \(order)\(tiles)"
    }
  }

  fileprivate struct Findings: Sendable {
    var failures: [String] = []
    var used: Set<String> = []
    var compared = 0
    var passed = 0
    /// The number of graphs that ran twice.
    var repeated = 0
  }

  private static func number(_ name: String, _ other: Int) -> Int {
    ProcessInfo.processInfo.environment[name].flatMap(Int.init) ?? other
  }

  @Test("Random graphs match their definitions for every kernel and instruction set")
  func agree() throws {
    let first = Self.number("ATELIER_GRAPH_SEED", 1)
    let count = Self.number("ATELIER_GRAPHS", 4000)
    let findings = Locked(Findings())
    DispatchQueue.concurrentPerform(iterations: count) { index in
      let seed = UInt64(first + index)
      let found = Self.findings(of: seed)
      findings.withLock { all in
        all.failures += found.failures
        all.used.formUnion(found.used)
        all.compared += found.compared
        all.passed += found.passed
        all.repeated += found.repeated
      }
    }
    let all = findings.withLock { $0 }
    print(
      "\(all.compared) outputs compared, \(all.passed) too sensitive, \(all.repeated) of \(count) graphs run twice"
    )
    for failure in all.failures.prefix(5) { Issue.record("\(failure)") }
    #expect(all.failures.count == 0)
    // Some outputs are too sensitive to rounding for a comparison. Their number must be less than a tenth of the number
    // of outputs that were compared.
    #expect(all.passed * 10 < all.compared)
    // More than half of the graphs ran twice. The other graphs change their shapes with the input values.
    #expect(all.repeated * 2 > count)
    guard count >= 2000 else { return }
    let wanted = Set(SampleFragment.groups.filter { !$0.fragments.isEmpty }.map(\.name))
      .union(SampleGraph.made.map { $0.declaration.name })
    #expect(wanted.subtracting(all.used).sorted() == [])
  }

  @Test("Random graphs cover every operator in every type that it declares")
  func groups() {
    let empty = SampleFragment.groups.filter(\.fragments.isEmpty).map(\.name)
    #expect(empty == [])
  }

  private static func findings(of seed: UInt64) -> Findings {
    let machine = Machine(seed: seed)
    var findings = Findings()
    ck_limit_instructions(machine.instructions)
    defer { ck_limit_instructions(3) }
    var recipe: [String] = []
    do {
      let random = try SampleGraph(seed: seed, precision: machine.options.precision)
      recipe = random.recipe
      findings.used = random.used
      let network = Network(random.graph, passes: GraphPasses.standard, options: machine.options)
      let first = try StateMemory(random)
      for (answer, value) in try first.run(network, random) {
        findings.note(answer, value, "seed \(seed), \(machine)", random)
      }
      first.fillWithNaN()
      // Runs the same session with other values in other memory. No data of the first run may remain in the results.
      let again = try SampleGraph(seed: seed, run: 1, precision: machine.options.precision)
      guard again.recipe == recipe, again.graph.outputs == random.graph.outputs else {
        return findings
      }
      findings.repeated = 1
      let second = try StateMemory(again)
      for (answer, value) in try second.run(network, again) {
        findings.note(answer, value, "seed \(seed), second run, \(machine)", again)
      }
      withExtendedLifetime(first) {}
    } catch {
      findings.failures.append(
        "seed \(seed), \(machine): \(error)\n\(recipe.joined(separator: "\n"))")
    }
    return findings
  }

  /// The buffers of a graph's state tensors.
  private struct StateMemory {
    let buffers: [AlignedBuffer]

    init(_ random: SampleGraph) throws {
      buffers = try random.graph.states.map { state in
        let tensor: ReferenceTensor = random.inputs[state.input]
        let storage: ElementType = random.graph.storage(of: state, tensor.element)
        let form = TensorDescriptor(tensor.shape, storage)
        let buffer = try AlignedBuffer(byteCount: form.byteCount)
        TensorCodec.pack(tensor, as: form, into: buffer.pointer)
        return buffer
      }
    }

    /// Overwrites all state with NaN.
    func fillWithNaN() {
      for buffer in buffers {
        // Safe: the buffer has `byteCount` bytes.
        buffer.pointer.initializeMemory(as: UInt8.self, repeating: 0xFF, count: buffer.byteCount)
      }
    }

    /// Runs a network. Returns each output and each final state together with its expected value.
    func run(
      _ network: Network, _ random: SampleGraph
    ) throws -> [(ReferenceTensor, SampleGraph.Value)] {
      let stateInputs = Set(random.states.map(\.input))
      let answers: [ReferenceTensor] = try network.plan(for: random.inputs.map(\.type))
        .withSession { session in
          for (index, values) in random.inputs.enumerated()
          where values.shape.count > 0 && !stateInputs.contains(index) {
            let port: PortTensor = session.input(index)
            TensorCodec.pack(values, as: port.form, into: port.memory)
          }
          for (buffer, state) in zip(buffers, random.graph.states) {
            session.bind(buffer.pointer, to: state)
          }
          try session.run()
          return try random.graph.outputs.indices.map { try session.values(ofOutput: $0) }
        }
      let states: [(ReferenceTensor, SampleGraph.Value)] = zip(buffers, random.states).compactMap {
        buffer, state in
        state.value.map { value in
          (
            TensorCodec.unpack(
              buffer.pointer, as: TensorDescriptor(value.type.shape, value.type.element)), value
          )
        }
      }
      return Array(zip(answers, random.expected)) + states
    }
  }

}

extension SampleGraphTests.Findings {
  fileprivate mutating func note(
    _ answer: ReferenceTensor, _ value: SampleGraph.Value, _ kind: String, _ random: SampleGraph
  ) {
    guard let complaint = Self.complaint(answer, value) else {
      compared += 1
      return
    }
    if complaint.isEmpty {
      passed += 1
    } else {
      failures.append(
        "\(kind), \(random.graph[value.id].name): \(complaint)\n"
          + random.recipe.joined(separator: "\n"))
    }
  }

  /// Describes the error of an output. Nil if the output is correct. Empty if the output is too sensitive to rounding
  /// to be compared.
  private static func complaint(_ answer: ReferenceTensor, _ value: SampleGraph.Value) -> String? {
    // A plan may store a float32 value as bfloat16, or a bfloat16 value as float32, even if the value is an output of
    // the graph.
    let isOneKind: Bool = answer.element.isFloatingPoint && value.type.element.isFloatingPoint
    guard answer.shape == value.type.shape, isOneKind || answer.element == value.type.element else {
      return "\(answer.type), expected \(value.type)"
    }
    let expected: ReferenceTensor = value.tensor.stored
    guard let shadow = value.shadow?.stored else {
      let comparison = Comparison(answer, to: expected)
      return comparison.error == 0 ? nil : "\(comparison), more than rounding explains"
    }
    let error = Comparison(shadow, to: expected).error
    guard error < 0.1 else { return "" }
    let comparison = Comparison(answer, to: expected)
    return comparison.error <= 8 * error ? nil : "\(comparison), allowed \(8 * error)"
  }
}
