import Foundation
import ModelFormat
import Testing

/// What `atelier compare` says of models that agree, and of those that do not.
@Suite(.enabled(if: Program.isBuilt))
struct CompareTests {
  /// `y = third · (second · (first · x))` over three numbers.
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

  @Test("The first value that departs is named, with how far, and so are the outputs")
  func departing() throws {
    let outcome = try compare([chain([2, 3, 4]), chain([2, 3.3, 4])])
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output.contains("departs first  "), "\(outcome.output)")
    #expect(outcome.output.contains("'v2': largest difference"), "\(outcome.output)")
    #expect(outcome.output.contains("(10 %)"), "\(outcome.output)")
    #expect(outcome.output.contains("compared       3 values, of which 2 depart"))
    let lenient = try compare([chain([2, 3, 4]), chain([2, 3.3, 4])], ["--threshold", "0.2"])
    #expect(lenient.output.contains("nothing departs by more than 20.00 %"), "\(lenient.output)")
  }

  @Test("Equal models are equal, and the list of everything says so")
  func equal() throws {
    let outcome = try compare([chain([2, 3]), chain([2, 3])], ["--all"])
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output.contains("nothing departs"))
    #expect(outcome.output.contains("'v1': equal"), "\(outcome.output)")
    #expect(outcome.output.contains("overflows      nothing"))
  }

  @Test("What float16 cannot hold is found before it is shipped")
  func overflow() throws {
    let outcome = try compare([chain([100, 10_000, 0.001])], ["--precision", "float16"])
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output.contains("overflows      "), "\(outcome.output)")
    #expect(
      outcome.output.contains("not finite in m0.mlmodel in float16 alone"), "\(outcome.output)")
    #expect(outcome.output.contains("'v2'"), "\(outcome.output)")
  }

  @Test("Another program's answers are compared by the names of their files")
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
      #expect(outcome.status == 0, "\(outcome.errors)")
      let report = try #require(
        JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
      #expect(report["compared"] as? Int == 1)
      let row = try #require(report["firstToDepart"] as? [String: Any])
      #expect(row["name"] as? String == "y")
      #expect((row["difference"] as? [String: Any])?["largest"] as? Double == 6)
    }
  }

  @Test("What cannot be compared is one sentence")
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
