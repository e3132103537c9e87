import CKernels
import Dispatch
import Engine
import Foundation
import NetworkRuns
import Operators
import Platform
import Testing

/// Graphs of all operators in all types that they declare, at random.
///
/// `ATELIER_GRAPHS` is the number of graphs, 4,000 unless it says otherwise; `ATELIER_GRAPH_SEED` the first.
@Suite("Random graphs of all operators")
struct SampleGraphTests {
  /// How one graph is run: kernels in their order or in any, instructions, numbers, threads.
  private struct Machine: CustomStringConvertible {
    var options: ExecutionOptions
    var instructions: Int32

    init(seed: UInt64) {
      var generator = SampleGenerator(seed: seed &+ 77)
      let turn = generator.next()
      options = ExecutionOptions(
        precision: turn % 8 < 2 ? .bfloat16 : .float32, threads: turn / 8 % 2 == 0 ? 1 : 2)
      if turn / 16 % 4 > 0 { options.kernelSeed = turn }
      if turn / 64 % 8 == 0 {
        let acts: Bool = turn / 2048 % 2 == 0
        options.processor = Processor(
          hasAVX512: true, hasBFloat16: true, hasMatrixTiles: !acts, actsMatrixTiles: acts)
      }
      instructions = Int32(truncatingIfNeeded: turn / 512 % 4)
    }

    var description: String {
      let order = options.kernelSeed == nil ? "in their order" : "in any order"
      let tiles: String = options.processor.actsMatrixTiles ? ", acted tiles" : ""
      return "\(options.precision), instructions \(instructions), kernels \(order)\(tiles)"
    }
  }

  fileprivate struct Findings: Sendable {
    var failures: [String] = []
    var used: Set<String> = []
    var compared = 0
    var passed = 0
    /// The graphs that ran twice.
    var repeated = 0
  }

  private static func number(_ name: String, _ other: Int) -> Int {
    ProcessInfo.processInfo.environment[name].flatMap(Int.init) ?? other
  }

  @Test("give what their definitions give, by every kernel and instruction set")
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
    // Nearly all are looked at.
    #expect(all.passed * 10 < all.compared)
    // The others are of another shape with other inputs.
    #expect(all.repeated * 2 > count)
    guard count >= 2000 else { return }
    let wanted = Set(SampleFragment.groups.filter { !$0.fragments.isEmpty }.map(\.name))
      .union(SampleGraph.made.map { $0.declaration.name })
    #expect(wanted.subtracting(all.used).sorted() == [])
  }

  @Test("hold every operator in every type that it declares")
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
      let first = try KeptMemory(random)
      for (answer, value) in try first.run(network, random) {
        findings.note(answer, value, "seed \(seed), \(machine)", random)
      }
      first.forget()
      // The same session with other values, in other memory: nothing of the first run may be left.
      let again = try SampleGraph(seed: seed, run: 1, precision: machine.options.precision)
      guard again.recipe == recipe, again.graph.outputs == random.graph.outputs else {
        return findings
      }
      findings.repeated = 1
      let second = try KeptMemory(again)
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

  /// Memory of the tensors that a graph keeps between runs.
  private struct KeptMemory {
    let buffers: [AlignedBuffer]

    init(_ random: SampleGraph) throws {
      buffers = try random.kept.map { input, _ in
        let tensor: ReferenceTensor = random.inputs[input]
        let form = TensorDescriptor(tensor.shape, tensor.element)
        let buffer = try AlignedBuffer(byteCount: form.byteCount)
        TensorCodec.pack(tensor, as: form, into: buffer.pointer)
        return buffer
      }
    }

    /// Fills all of it with NaN.
    func forget() {
      for buffer in buffers {
        // Safe: the buffer has as many bytes.
        buffer.pointer.initializeMemory(as: UInt8.self, repeating: 0xFF, count: buffer.byteCount)
      }
    }

    /// What a network makes, and what is kept then, with what they must be.
    func run(
      _ network: Network, _ random: SampleGraph
    ) throws -> [(ReferenceTensor, SampleGraph.Value)] {
      let kept = Set(random.kept.map(\.input))
      let answers: [ReferenceTensor] = try network.plan(for: random.inputs.map(\.type))
        .withSession { session in
          for (index, values) in random.inputs.enumerated()
          where values.shape.count > 0 && !kept.contains(index) {
            let port: BorderTensor = session.input(index)
            TensorCodec.pack(values, as: port.form, into: port.memory)
          }
          for (buffer, kept) in zip(buffers, random.graph.kept) {
            session.bind(buffer.pointer, to: kept)
          }
          try session.run()
          return try random.graph.outputs.indices.map { try session.values(ofOutput: $0) }
        }
      let states: [(ReferenceTensor, SampleGraph.Value)] = zip(buffers, random.kept).compactMap {
        buffer, kept in
        kept.value.map { value in
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
    _ answer: ReferenceTensor, _ value: SampleGraph.Value, _ place: String, _ random: SampleGraph
  ) {
    guard let complaint = Self.complaint(answer, value) else {
      compared += 1
      return
    }
    if complaint.isEmpty {
      passed += 1
    } else {
      failures.append(
        "\(place), \(random.graph[value.id].name): \(complaint)\n"
          + random.recipe.joined(separator: "\n"))
    }
  }

  /// What is wrong with an answer; empty where it is too sensitive to be compared, nil where it is right.
  private static func complaint(_ answer: ReferenceTensor, _ value: SampleGraph.Value) -> String? {
    // A plan may keep float32 as bfloat16 up to its border, and the other way round.
    let isOneKind: Bool = answer.element.isFloatingPoint && value.type.element.isFloatingPoint
    guard answer.shape == value.type.shape, isOneKind || answer.element == value.type.element else {
      return "\(answer.type), expected \(value.type)"
    }
    let expected: ReferenceTensor = value.tensor.stored
    guard let shadow = value.shadow?.stored else {
      let comparison = Comparison(answer, to: expected)
      return comparison.error == 0 ? nil : "\(comparison), which is no matter of rounding"
    }
    let error = Comparison(shadow, to: expected).error
    guard error < 0.1 else { return "" }
    let comparison = Comparison(answer, to: expected)
    return comparison.error <= 8 * error ? nil : "\(comparison), allowed \(8 * error)"
  }
}
