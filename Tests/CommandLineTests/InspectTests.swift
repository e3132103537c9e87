import Foundation
import Imaging
import ModelFormat
import Testing

/// Tests the output of `atelier inspect` for pipelines and programs.
@Suite(.enabled(if: Program.isBuilt))
struct InspectTests {
  private func network(_ layers: Int) -> Spec.Model {
    var network = Spec.NeuralNetwork()
    for index in 0..<layers {
      var layer = Spec.NeuralNetworkLayer()
      layer.name = "layer\(index)"
      layer.layer = .softmax(Spec.SoftmaxLayerParams())
      network.layers.append(layer)
    }
    var model = Spec.Model()
    model.specificationVersion = 4
    model.type = .neuralNetwork(network)
    return model
  }

  private func inspect(_ model: Spec.Model, _ options: String...) throws -> Program.Outcome {
    try Fixtures.withFolder { folder in
      let file: URL = folder.appendingPathComponent("m.mlmodel")
      try model.write(to: file)
      return try Program.run(["inspect", file.path] + options)
    }
  }

  @Test("A program is shown as MIL text")
  func programText() throws {
    let text = """
      program(1.3)
      {
          func main<ios18>(tensor<fp32, [2]> x) {
                  fp32 half = const()[val = fp32(0x1p-1)];
                  tensor<fp32, [2]> y = mul(x = x, y = half);
              } -> (y);
      }

      """
    var model = Spec.Model()
    model.specificationVersion = 9
    model.type = .mlProgram(try MILText(parsing: ByteValues(Array(text.utf8))).program)
    let outcome = try inspect(model, "--stage", "program")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output == text)
    let json = try JSONSerialization.jsonObject(
      with: Data(inspect(model, "--stage", "program", "--json").output.utf8))
    #expect((json as? [String: String])?["text"] == String(text.dropLast()))
    let other = try inspect(network(1), "--stage", "program")
    #expect(other.status != 0)
    #expect(
      other.errors.contains(
        "is of type neuralNetwork; only ML Programs can be shown as MIL"
          + " text."))
  }

  @Test("A pipeline shows its stages, including nested ones")
  func pipeline() throws {
    var inner = Spec.Pipeline()
    inner.models = [network(2)]
    var middle = Spec.Model()
    middle.specificationVersion = 4
    middle.type = .pipeline(inner)
    var outer = Spec.Pipeline()
    outer.models = [network(1), middle]
    outer.names = ["features", "head"]
    var classifier = Spec.PipelineClassifier()
    classifier.pipeline = outer
    var model = Spec.Model()
    model.specificationVersion = 4
    model.type = .pipelineClassifier(classifier)

    let outcome = try inspect(model)
    #expect(outcome.status == 0, "\(outcome.errors)")
    for line in [
      "  type               pipelineClassifier", "  stage 1 of 2       features",
      "    layers           1", "  stage 2 of 2       head", "    type             pipeline",
      "    stage 1 of 1     stage 1", "      layers         2",
      "                     2 × softmax",
    ] {
      #expect(outcome.output.contains(line + "\n"), "\(line)\n\(outcome.output)")
    }
    let json = try #require(
      JSONSerialization.jsonObject(with: Data(inspect(model, "--json").output.utf8))
        as? [String: Any])
    let stages = try #require(json["stages"] as? [[String: Any]])
    #expect(stages.map { $0["file"] as? String } == ["features", "head"])
    #expect((stages[1]["stages"] as? [Any])?.count == 1)
  }

  @Test(
    "A model that declares a huge image is refused before the image is allocated",
    arguments: [["predict", "--input", "image=PHOTO"], ["bench"], ["stylize", "PHOTO", "-m"]])
  func hugeInput(words: [String]) throws {
    var image = Spec.ImageFeatureType()
    image.width = 1 << 18
    image.height = 1 << 18
    image.colorSpace = .rgb
    var type = Spec.FeatureType()
    type.type = .imageType(image)
    var feature = Spec.FeatureDescription()
    feature.name = "image"
    feature.type = type
    var result = feature
    result.name = "painting"
    var model = network(1)
    model.description = Spec.ModelDescription()
    model.description?.input = [feature]
    model.description?.output = [result]
    if case .neuralNetwork(var network)? = model.type {
      network.layers[0].input = ["image"]
      network.layers[0].output = ["painting"]
      model.type = .neuralNetwork(network)
    }
    try Fixtures.withFolder { folder in
      let file: URL = folder.appendingPathComponent("m.mlmodel")
      try model.write(to: file)
      let photo: String = folder.path + "/photo.png"
      try Picture(width: 8, height: 8, pixels: [UInt8](repeating: 9, count: 192))
        .write(toFile: photo)
      var words: [String] = words.map { $0.replacingOccurrences(of: "PHOTO", with: photo) }
      if words[0] == "stylize" {
        words += [file.path, "--crop-and-scale", "scaleFill"]
      } else {
        words.insert(file.path, at: 1)
      }
      let outcome = try Program.run(words)
      #expect(outcome.status == 1)
      #expect(
        outcome.errors.contains(
          "A model's input of 262144 × 262144 pixels needs 1305.67 GB of memory, but only"),
        "\(outcome.errors)")
    }
  }

  @Test("The JSON of every stage has sizes and shapes as numbers")
  func numbers() throws {
    let style: String = GenerateTests.root.appendingPathComponent("Examples/Scream.mlmodel")
      .path
    func object(_ stage: String) throws -> [String: Any] {
      let outcome = try Program.run("inspect", style, "--stage", stage, "--json")
      #expect(outcome.status == 0, "\(outcome.errors)")
      return try #require(
        JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
    }
    let input = try #require((object("model")["inputs"] as? [[String: Any]])?.first)
    #expect(input["kind"] as? String == "image" && input["colorSpace"] as? String == "rgb")
    let (width, height) = (input["width"] as? Int, input["height"] as? Int)
    #expect((width ?? 0) > 0 && (height ?? 0) > 0, "\(input)")
    #expect((input["widthRange"] as? [String: Int])?["minimum"] != nil, "\(input)")
    let graph = try object("graph")
    let value = try #require((graph["inputs"] as? [[String: Any]])?.first)
    #expect((value["shape"] as? [Int])?.suffix(2) == [height ?? 0, width ?? 0], "\(value)")
    #expect(value["elementType"] as? String == "float32")
    let calls = try #require(object("plan")["calls"] as? [[String: Any]])
    let read = try #require((calls[0]["inputs"] as? [[String: Any]])?.first)
    #expect(read["layout"] is String && (read["shape"] as? [Int])?.isEmpty == false, "\(read)")
    let row = try #require((object("layers")["rows"] as? [[String: Any]])?.first)
    let made = try #require((row["outputs"] as? [[String: Any]])?.first)
    #expect(made["name"] is String && made["shape"] is [Int], "\(made)")
  }

  @Test("An ML Program shows its functions with their inputs, outputs and operations")
  func program() throws {
    func tensor(_ extents: [UInt64?]) -> Spec.MILSpec.ValueType {
      var tensor = Spec.MILSpec.TensorType()
      tensor.dataType = .float16
      tensor.rank = Int64(extents.count)
      tensor.dimensions = extents.map { extent in
        var dimension = Spec.MILSpec.Dimension()
        if let extent {
          var constant = Spec.MILSpec.Dimension.ConstantDimension()
          constant.size = extent
          dimension.dimension = .constant(constant)
        } else {
          dimension.dimension = .unknown(Spec.MILSpec.Dimension.UnknownDimension())
        }
        return dimension
      }
      var type = Spec.MILSpec.ValueType()
      type.type = .tensorType(tensor)
      return type
    }
    func value(_ name: String, _ extents: [UInt64?]) -> Spec.MILSpec.NamedValueType {
      var value = Spec.MILSpec.NamedValueType()
      value.name = name
      value.type = tensor(extents)
      return value
    }
    func operation(_ type: String, _ output: String, blocks: [Spec.MILSpec.Block] = [])
      -> Spec.MILSpec.Operation
    {
      var operation = Spec.MILSpec.Operation()
      operation.type = type
      operation.outputs = [value(output, [1, 5])]
      operation.blocks = blocks
      return operation
    }
    var branch = Spec.MILSpec.Block()
    branch.operations = [operation("relu", "r")]
    var block = Spec.MILSpec.Block()
    block.operations = [
      operation("relu", "a"), operation("cond", "y", blocks: [branch, branch]),
    ]
    block.outputs = ["y"]
    var function = Spec.MILSpec.Function()
    function.opset = "CoreML7"
    function.inputs = [value("x", [nil, 5])]
    function.blockSpecializations = ["CoreML7": block]
    var program = Spec.MILSpec.Program()
    program.version = 1
    program.functions = ["main": function]
    var model = Spec.Model()
    model.specificationVersion = 8
    model.type = .mlProgram(program)

    let outcome = try inspect(model)
    #expect(outcome.status == 0, "\(outcome.errors)")
    for line in [
      "function       main (CoreML7), 4 operations", "takes x: float16 ? × 5",
      "gives y: float16 1 × 5", "3 × relu, 1 × cond",
    ] {
      #expect(outcome.output.contains(line + "\n"), "\(line)\n\(outcome.output)")
    }
    let json = try #require(
      JSONSerialization.jsonObject(with: Data(inspect(model, "--json").output.utf8))
        as? [String: Any])
    let functions = try #require(json["functions"] as? [[String: Any]])
    let input = try #require((functions[0]["inputs"] as? [[String: Any]])?.first)
    #expect(input["elementType"] as? String == "float16")
    #expect((input["shape"] as? [Any])?.count == 2 && (input["shape"] as? [Any])?[1] as? Int == 5)
    let graph = try inspect(model, "--stage", "graph")
    #expect(graph.status == 1)
    #expect(graph.errors.contains("'a'"), "\(graph.errors)")
    let predicted = try Fixtures.withFolder { folder in
      let file: URL = folder.appendingPathComponent("m.mlmodel")
      try model.write(to: file)
      return try Program.run("predict", file.path)
    }
    #expect(predicted.status == 1)
    #expect(predicted.errors.contains("relu 'a': the input 'x' is missing."))
  }
}
