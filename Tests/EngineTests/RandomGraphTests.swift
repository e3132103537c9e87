import CKernels
import Engine
import NetworkRuns
import Operators
import Testing

extension Processor {
  /// A processor with emulated matrix tiles, for running kernels that need them.
  fileprivate static let emulatedTiles = Processor(
    hasAVX512: true, hasBFloat16: true, hasMatrixTiles: false, emulatesMatrixTiles: true)
}

/// Checks random graphs for the planner's contract: the choice of kernels, fusion, layouts and shared memory must not
/// change the results.
@Suite("Random graphs")
struct RandomGraphTests {
  /// The largest allowed differences, relative to the output's largest magnitude.
  private static let float32Tolerance = 2e-4
  private static let bfloat16Tolerance = 0.12

  /// A configuration that a test forces: the precision, the kernels of another processor, or older instruction sets.
  struct Machine: Sendable, CustomTestStringConvertible {
    var precision: Precision
    var processor = Processor.current
    /// The newest instruction set that our kernels may use. The value 3 allows every instruction set of this processor
    /// (CKernels.h).
    var instructions: Int32 = 3
    var seeds: ClosedRange<UInt64> = 1...400

    var testDescription: String {
      let tiles: String = processor.hasMatrixTiles ? ", kernels for matrix tiles" : ""
      let emulated: String = processor.emulatesMatrixTiles ? ", emulated tiles" : ""
      return "\(precision), instructions \(instructions)\(tiles)\(emulated)"
    }

    static let all: [Machine] = [
      Machine(precision: .float32), Machine(precision: .bfloat16),
      Machine(
        precision: .bfloat16,
        processor: Processor(hasAVX512: true, hasBFloat16: true, hasMatrixTiles: true),
        seeds: 1...100),
      Machine(precision: .bfloat16, processor: .emulatedTiles, seeds: 101...200),
      Machine(
        precision: .bfloat16, processor: .emulatedTiles, instructions: 1, seeds: 201...240),
      Machine(precision: .bfloat16Pairs, processor: .emulatedTiles, seeds: 1...100),
      Machine(precision: .bfloat16Pairs, seeds: 101...200),
      Machine(precision: .float32, instructions: 0, seeds: 1...60),
      Machine(precision: .float32, instructions: 1, seeds: 61...160),
      Machine(precision: .float32, instructions: 2, seeds: 161...260),
      Machine(precision: .bfloat16, instructions: 1, seeds: 261...320),
      Machine(precision: .bfloat16, instructions: 2, seeds: 321...400),
    ]
  }

  @Test("A random graph matches its layers' definitions", arguments: Machine.all)
  func agrees(machine: Machine) throws {
    ck_limit_instructions(machine.instructions)
    defer { ck_limit_instructions(3) }
    let tolerance: Double =
      machine.precision == .bfloat16 ? Self.bfloat16Tolerance : Self.float32Tolerance
    let options = ExecutionOptions(
      precision: machine.precision, threads: 2, processor: machine.processor)
    for seed in machine.seeds {
      let network = RandomNetwork(seed: seed)
      let graph = try network.graph()
      let input = ReferenceTensor.random(network.inputShape, seed: seed)
      let expected = try graph.reference([input])
      let planned = Network(graph, passes: GraphPasses.standard, options: options)
      let answers = try planned.run([input])
      for (position, pair) in zip(answers, expected).enumerated() {
        let difference = pair.0.relativeDifference(to: pair.1)
        #expect(
          difference < tolerance,
          """
          seed \(seed), \(machine), output \(network.outputs[position]): \(difference)
          \(network.recipe.joined(separator: "\n"))
          """)
      }
    }
  }

  @Test(
    "A random graph of integers and floats matches its definitions exactly",
    arguments: Machine.all.filter { $0.precision == .float32 })
  func agreesOnTypes(machine: Machine) throws {
    ck_limit_instructions(machine.instructions)
    defer { ck_limit_instructions(3) }
    let options = ExecutionOptions(precision: .float32, threads: 2, processor: machine.processor)
    for seed in machine.seeds {
      let random = try RandomTypedGraph(seed: seed)
      let expected: [ReferenceTensor] = try random.graph.reference(random.inputs).map(\.stored)
      let network = Network(random.graph, passes: GraphPasses.standard, options: options)
      let answers = try network.run(random.inputs)
      for (position, pair) in zip(answers, expected).enumerated() {
        #expect(
          pair.0 == pair.1,
          """
          seed \(seed), \(machine), output \(random.graph[random.graph.outputs[position]].name)
          \(random.recipe.joined(separator: "\n"))
          """)
      }
    }
  }

  @Test(
    "A residual that adds its own source is exact",
    arguments: [Precision.float32, .bfloat16], [8, 32])
  func selfResidual(precision: Precision, channels: Int) throws {
    // y = ReLU(a + convolution(a)): a pass fuses the sum into the convolution. If the convolution wrote its result in
    // place of a, it would overwrite values that it still reads.
    let network = TestNetwork(
      [
        .reLU.named("r", ["x"], "a"),
        .convolution(channels, channels, padding: 1).named("c", ["a"], "b"),
        .add.named("add", ["a", "b"], "s"), .reLU.named("r2", ["s"], "y"),
      ], input: [1, Int64(channels), 20, 20])
    let input = ReferenceTensor.random([1, channels, 20, 20])
    let answer = try network.network(ExecutionOptions(precision: precision, threads: 2))
      .predict(input)
    let expected = try network.graph().reference([input])[0]
    #expect(answer.relativeDifference(to: expected) < (precision == .float32 ? 1e-5 : 0.03))
  }

  @Test("A square is computed in the memory of its operand")
  func squareInPlace() throws {
    let network = try TestNetwork(
      [
        .sigmoid.named("s", ["x"], "a"), .upsample(2).named("u", ["a"], "b"),
        .of(.multiply(.init()), "m", ["b", "b"], ["y"]),
      ], input: [1, 4, 8, 8]
    ).network()
    let plan = try network.plan(for: [TensorType([1, 4, 8, 8])]).plan
    let last = try #require(plan.calls.last)
    #expect(last.inputs.first?.place == last.outputs.first?.place)
  }
}
