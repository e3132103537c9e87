import Foundation
import ModelFormat
import Testing

/// Tests the reports of `atelier compare` for equal models and for different ones.
@Suite(.enabled(if: Program.isBuilt))
struct CompareTests {
  /// Builds `y = third · (second · (first · x))` over three numbers.
  private func chain(_ factors: [Float]) -> Spec.Model {
    var network = Spec.NeuralNetwork()
    for (index, factor) in factors.enumerated() {
      network.layers.append(
        .making { layer in
          layer.name = "times \(index)"
          layer.input = [index == 0 ? "x" : "v\(index)"]
          layer.output = [index == factors.count - 1 ? "y" : "v\(index + 1)"]
          layer.layer = .activation(
            .making { activation in
              activation.nonlinearityType = .linear(.making { $0.alpha = factor })
            })
        })
    }
    func feature(_ name: String) -> Spec.FeatureDescription {
      .making { feature in
        feature.name = name
        feature.type = .making { type in
          type.type = .multiArrayType(
            .making {
              $0.shape = [3]
              $0.dataType = .float32
            })
        }
      }
    }
    return .making { model in
      model.specificationVersion = 4
      model.type = .neuralNetwork(network)
      model.description = .making {
        $0.input = [feature("x")]
        $0.output = [feature("y")]
      }
    }
  }

  private func compare(
    _ models: [Spec.Model], _ options: [String] = []
  ) throws -> Program.Outcome {
    try Fixtures.withFolder { folder in
      var words: [String] = ["compare"]
      for (index, model) in models.enumerated() {
        let file: URL = folder.appendingPathComponent("m\(index).mlmodel")
        try model.write(to: file)
        words.append(file.path)
      }
      return try Program.run(words + options)
    }
  }

  @Test("The first differing value is named with its difference, and so are the outputs")
  func departing() throws {
    let outcome = try compare([chain([2, 3, 4]), chain([2, 3.3, 4])])
    #expect(outcome.status == 1)
    #expect(
      outcome.errors.contains("2 of 3 values differ by more than 1 % of the largest number"),
      "\(outcome.errors)")
    #expect(outcome.output.contains("differs first  "), "\(outcome.output)")
    #expect(outcome.output.contains("'v2': largest difference"), "\(outcome.output)")
    #expect(outcome.output.contains("(10 %)"), "\(outcome.output)")
    #expect(outcome.output.contains("compared       3 values, 2 differ"))
    let lenient = try compare([chain([2, 3, 4]), chain([2, 3.3, 4])], ["--threshold", "0.2"])
    #expect(lenient.status == 0, "\(lenient.errors)")
    #expect(lenient.output.contains("nothing differs by more than 20.00 %"), "\(lenient.output)")
  }

  @Test("Equal models are reported as equal, also in the complete list")
  func equal() throws {
    let outcome = try compare([chain([2, 3]), chain([2, 3])], ["--all"])
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output.contains("nothing differs"))
    #expect(outcome.output.contains("'v1': equal"), "\(outcome.output)")
    #expect(outcome.output.contains("overflows      nothing"))
  }

  @Test("A value that overflows float16 is found")
  func overflow() throws {
    let outcome = try compare([chain([100, 10_000, 0.001])], ["--precision", "float16"])
    #expect(outcome.status == 1)
    #expect(outcome.output.contains("overflows      "), "\(outcome.output)")
    #expect(
      outcome.output.contains("not finite only in m0.mlmodel in float16"), "\(outcome.output)")
    #expect(outcome.output.contains("'v2'"), "\(outcome.output)")
  }

  /// Builds `y = 2 · (x + offsets)[1...2]` over four numbers. The slice removes the first and the last number.
  private func cropped(_ offsets: [Float]) -> Spec.Model {
    var model: Spec.Model = chain([2])
    guard case .neuralNetwork(var network)? = model.type else { return model }
    network.arrayInputShapeMapping = .exactArrayMapping
    network.layers[0].input = ["crop"]
    network.layers =
      [
        .making { layer in
          layer.name = "offsets"
          layer.output = ["offsets"]
          layer.layer = .loadConstantND(
            .making {
              $0.shape = [4]
              $0.data = Spec.WeightParams(offsets)
            })
        },
        .making { layer in
          layer.name = "sum"
          layer.input = ["x", "offsets"]
          layer.output = ["sum"]
          layer.layer = .addBroadcastable(Spec.AddBroadcastableLayerParams())
        },
        .making { layer in
          layer.name = "crop"
          layer.input = ["sum"]
          layer.output = ["crop"]
          layer.layer = .sliceStatic(
            .making {
              ($0.beginIds, $0.endIds, $0.strides) = ([1], [3], [1])
              ($0.beginMasks, $0.endMasks) = ([false], [false])
            })
        },
      ] + network.layers
    model.type = .neuralNetwork(network)
    func array(_ name: String, _ count: Int64) -> Spec.FeatureDescription {
      .making { feature in
        feature.name = name
        feature.type = .making {
          $0.type = .multiArrayType(
            .making {
              $0.shape = [count]
              $0.dataType = .float32
            })
        }
      }
    }
    model.description = .making {
      $0.input = [array("x", 4)]
      $0.output = [array("y", 2)]
    }
    return model
  }

  @Test(
    "A difference that a crop removes is named but does not count, because it reaches no output")
  func margin() throws {
    let outcome = try compare([cropped([1, 1, 1, 1]), cropped([3, 1, 1, 0])], ["--all"])
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output.contains("differs first  "), "\(outcome.output)")
    #expect(outcome.output.contains("'sum': largest difference 2"), "\(outcome.output)")
    #expect(outcome.output.contains("this difference reaches no output"), "\(outcome.output)")
    #expect(outcome.output.contains("1 differ; 1 of them reach no output"))
    #expect(outcome.output.contains("'y': equal"), "\(outcome.output)")
    let seen = try compare([cropped([1, 1, 1, 1]), cropped([3, 1, 2, 0])], ["--json"])
    #expect(seen.status == 1)
    let report = try #require(
      JSONSerialization.jsonObject(with: Data(seen.output.utf8)) as? [String: Any])
    #expect(report["reachingOutput"] as? Int == 3)
    let rows = try #require(report["rows"] as? [[String: Any]])
    #expect(rows.allSatisfy { $0["reachesOutput"] as? Bool == true })
  }

  /// Builds `for _ in 0..<3 { x = factor · x }` as a program.
  private func loop(_ factor: Float) throws -> Spec.Model {
    let text = """
      program(1.0)
      {
          func main<ios17>(tensor<fp32, [2]> x) {
                  tensor<int32, []> zero = const()[name = tensor<string, []>("zero"), val = tensor<int32, []>(0)];
                  tensor<int32, []> count, tensor<fp32, [2]> y = while_loop(loop_vars = (zero, x))[name = tensor<string, []>("walk")] (tensor<int32, []> i, tensor<fp32, [2]> a) {
                          tensor<int32, []> most = const()[name = tensor<string, []>("most"), val = tensor<int32, []>(3)];
                          tensor<bool, []> goes = less(x = i, y = most)[name = tensor<string, []>("goes")];
                      } -> (goes) (tensor<int32, []> j, tensor<fp32, [2]> b) {
                          tensor<int32, []> one = const()[name = tensor<string, []>("one"), val = tensor<int32, []>(1)];
                          tensor<int32, []> next = add(x = j, y = one)[name = tensor<string, []>("next")];
                          tensor<fp32, []> factor = const()[name = tensor<string, []>("factor"), val = tensor<fp32, []>(\(factor))];
                          tensor<fp32, [2]> grown = mul(x = b, y = factor)[name = tensor<string, []>("grown")];
                      } -> (next, grown);
              } -> (y);
      }
      """
    let program = try MILText(parsing: ByteValues(Array(text.utf8)), name: "loop.mil").program
    func array(_ name: String) -> Spec.FeatureDescription {
      .making { feature in
        feature.name = name
        feature.type = .making { type in
          type.type = .multiArrayType(
            .making {
              $0.shape = [2]
              $0.dataType = .float32
            })
        }
      }
    }
    return .making { model in
      model.specificationVersion = 8
      model.type = .mlProgram(program)
      model.description = .making {
        $0.input = [array("x")]
        $0.output = [array("y")]
      }
    }
  }

  @Test("A difference inside a loop is named with its iteration")
  func loops() throws {
    let outcome = try compare([loop(2), loop(2.016)], ["--all"])
    #expect(outcome.status == 1)
    // The results differ by 0.8 % in the first iteration and by 1.6 % in the second. Only the second difference is
    // above the default threshold, 1 %.
    #expect(outcome.output.contains("'grown (iteration 1)'"), "\(outcome.output)")
    let first = outcome.output.split(separator: "\n").first { $0.hasPrefix("differs first") }
    #expect(first?.contains("'grown (iteration 2)'") == true, "\(outcome.output)")
    #expect(try compare([loop(2), loop(2)]).status == 0)
  }

  @Test("Another program's results are compared by file name")
  func answers() throws {
    try Fixtures.withFolder { folder in
      let model: URL = folder.appendingPathComponent("m.mlmodel")
      try chain([2, 3]).write(to: model)
      let inputs: URL = folder.appendingPathComponent("inputs", isDirectory: true)
      let answers: URL = folder.appendingPathComponent("answers", isDirectory: true)
      for one in [inputs, answers] {
        try FileManager.default.createDirectory(at: one, withIntermediateDirectories: true)
      }
      try Data("[1, 2, 3]".utf8).write(to: inputs.appendingPathComponent("x.json"))
      let predicted = try Program.run(
        "predict", model.path, "--input", "x=1,2,4", "--output", answers.path)
      #expect(predicted.status == 0, "\(predicted.errors)")
      let outcome = try Program.run(
        "compare", model.path, answers.path, "--inputs", inputs.path, "--json")
      #expect(outcome.status == 1)
      let report = try #require(
        JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
      #expect(report["compared"] as? Int == 1)
      let row = try #require(report["firstToDepart"] as? [String: Any])
      #expect(row["name"] as? String == "y")
      #expect((row["difference"] as? [String: Any])?["largest"] as? Double == 6)
    }
  }

  @Test("Invalid comparisons give a one-sentence error")
  func refusals() throws {
    let single = try compare([chain([2])])
    #expect(single.status == 2)
    #expect(single.errors.contains("one model is given; name a second one"), "\(single.errors)")
    let three = try compare([chain([2]), chain([2]), chain([2])])
    #expect(three.status == 2)
    #expect(three.errors.contains("3 models are given, expected two"), "\(three.errors)")
    let threshold = try compare([chain([2]), chain([2])], ["--threshold", "much"])
    #expect(threshold.status == 2)
    #expect(threshold.errors.contains("--threshold is 'much', expected a number"))
    let missing = try compare([chain([2]), chain([2])], ["--inputs", "/nowhere"])
    #expect(missing.status == 1)
    #expect(missing.errors.contains("holds no file for the input 'x'"), "\(missing.errors)")
  }
}
