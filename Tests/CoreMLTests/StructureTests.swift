import CoreML
import Foundation
import ModelFormat
import Testing

/// Tests a model's structure, compute devices and costs.
@Suite("MLModelStructure and MLComputePlan")
struct StructureTests {
  private func written<Result>(
    _ model: Spec.Model, _ body: (URL) async throws -> Result
  ) async throws -> Result {
    let file: URL = FileManager.default.temporaryDirectory
      .appendingPathComponent("Structure-\(UUID().uuidString).mlmodel")
    defer { try? FileManager.default.removeItem(at: file) }
    try model.write(to: file)
    return try await body(file)
  }

  private static func tensor(_ extents: [UInt64]) -> Spec.MILSpec.ValueType {
    .making { type in
      type.type = .tensorType(
        .making { tensor in
          tensor.dataType = .float32
          tensor.rank = Int64(extents.count)
          tensor.dimensions = extents.map { extent in
            .making { $0.dimension = .constant(.making { $0.size = extent }) }
          }
        })
    }
  }

  private static func named(_ name: String, _ extents: [UInt64]) -> Spec.MILSpec.NamedValueType {
    .making {
      $0.name = name
      $0.type = tensor(extents)
    }
  }

  private static func binding(_ name: String) -> Spec.MILSpec.Argument {
    .making { $0.arguments = [.making { $0.binding = .name(name) }] }
  }

  private static func number(_ number: Float) -> Spec.MILSpec.Value {
    .making { value in
      value.type = tensor([])
      value.value = .immediateValue(
        .making { immediate in
          immediate.value = .tensor(
            .making { $0.value = .floats(.making { $0.values = FloatValues([number]) }) })
        })
    }
  }

  /// `y = (x + 1) · x`, with the constant as a separate operation.
  private static let program: Spec.Model = .making { model in
    let constant: Spec.MILSpec.Operation = .making {
      $0.type = "const"
      $0.outputs = [named("one", [])]
      $0.attributes = ["val": number(1)]
    }
    func binary(_ type: String, _ x: String, _ y: String, _ output: String)
      -> Spec.MILSpec.Operation
    {
      .making {
        $0.type = type
        $0.inputs = ["x": binding(x), "y": binding(y)]
        $0.outputs = [named(output, [2, 3])]
      }
    }
    let block: Spec.MILSpec.Block = .making {
      $0.operations = [
        constant, binary("add", "x", "one", "a"), binary("mul", "a", "x", "y"),
      ]
      $0.outputs = ["y"]
    }
    let function: Spec.MILSpec.Function = .making {
      $0.inputs = [named("x", [2, 3])]
      $0.opset = "CoreML7"
      $0.blockSpecializations = ["CoreML7": block]
    }
    model.specificationVersion = 8
    model.type = .mlProgram(
      .making {
        $0.version = 1
        $0.functions = ["main": function]
      })
    func feature(_ name: String) -> Spec.FeatureDescription {
      .making { feature in
        feature.name = name
        feature.type = .making { type in
          type.type = .multiArrayType(
            .making {
              $0.shape = [2, 3]
              $0.dataType = .float32
            })
        }
      }
    }
    model.description = .making {
      $0.input = [feature("x")]
      $0.output = [feature("y")]
    }
  }

  @Test("A program shows its functions, blocks and operations with their inputs")
  func program() async throws {
    let structure = try await written(Self.program) {
      try await MLModelStructure.load(contentsOf: $0)
    }
    guard case .program(let program) = structure else {
      Issue.record("expected a program")
      return
    }
    let main = try #require(program.functions["main"])
    #expect(main.inputs.map(\.name) == ["x"])
    #expect(main.block.outputNames == ["y"])
    #expect(main.block.operations.map(\.operatorName) == ["const", "add", "mul"])
    let add = main.block.operations[1]
    #expect(add.outputs.map(\.name) == ["a"])
    guard case .name(let name)? = add.inputs["y"]?.bindings.first else {
      Issue.record("expected a name")
      return
    }
    #expect(name == "one")
  }

  @Test("A plan gives the processor for computed operations, and cost shares with a sum of 1")
  func plan() async throws {
    let plan = try await written(Self.program) {
      try await MLComputePlan.load(contentsOf: $0, configuration: MLModelConfiguration())
    }
    guard case .program(let program) = plan.modelStructure,
      let operations = program.functions["main"]?.block.operations
    else {
      Issue.record("expected a program")
      return
    }
    #expect(plan.deviceUsage(for: operations[0]) == nil)
    #expect(plan.estimatedCost(of: operations[0]) == nil)
    let usage = try #require(plan.deviceUsage(for: operations[1]))
    #expect(usage.supported == [usage.preferred])
    guard case .cpu = usage.preferred else {
      Issue.record("expected the processor")
      return
    }
    let weights: [Double] = operations.compactMap { plan.estimatedCost(of: $0)?.weight }
    #expect(weights.count == 2)
    #expect(abs(weights.reduce(0, +) - 1) < 1e-9)
    #expect(weights.allSatisfy { $0 > 0 })
    // An operation that reads two arrays costs more than one that reads an array and a number.
    #expect(weights[1] > weights[0])
  }

  @Test("A network shows its layers by the names in compiled models, and their devices")
  func network() async throws {
    let model: Spec.Model = SampleModels.doubling()
    let asset = try MLModelAsset(specification: Data(model.serialized()))
    let plan = try await MLComputePlan.load(asset: asset, configuration: MLModelConfiguration())
    guard case .neuralNetwork(let network) = plan.modelStructure else {
      Issue.record("expected a network")
      return
    }
    #expect(network.layers.map(\.inputNames) == [["x"]])
    #expect(network.layers.map(\.outputNames) == [["y"]])
    #expect(network.layers.map(\.type) == ["activation"])
    #expect(plan.deviceUsage(for: network.layers[0]) != nil)
  }

  @Test("A pipeline shows its models by name, and other model types show nothing")
  func pipeline() async throws {
    let model: Spec.Model = .making { model in
      model.specificationVersion = 4
      model.type = .pipeline(
        .making {
          $0.models = [SampleModels.doubling(), SampleModels.doubling()]
          $0.names = ["first", "second"]
        })
    }
    let asset = try MLModelAsset(specification: Data(model.serialized()))
    guard case .pipeline(let pipeline) = try await MLModelStructure.load(asset: asset) else {
      Issue.record("expected a pipeline")
      return
    }
    #expect(pipeline.subModelNames == ["first", "second"])
    guard case .neuralNetwork? = pipeline.subModels.last else {
      Issue.record("expected a network")
      return
    }
    let other: Spec.Model = .making {
      $0.specificationVersion = 1
      $0.type = .identity(Spec.Identity())
    }
    let unsupported = try await MLModelStructure.load(
      asset: MLModelAsset(specification: Data(other.serialized())))
    guard case .unsupported = unsupported else {
      Issue.record("expected nothing")
      return
    }
  }
}
