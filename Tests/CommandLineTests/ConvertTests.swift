import Foundation
import ModelFormat
import Testing

/// Tests `atelier convert` from layers to a program and back.
@Suite(.enabled(if: Program.isBuilt))
struct ConvertTests {
  private func doubling(_ folder: URL) throws -> URL {
    let file = folder.appendingPathComponent("twice.mlmodel")
    var network = Spec.NeuralNetwork()
    network.arrayInputShapeMapping = .exactArrayMapping
    network.layers = [
      .making { layer in
        layer.name = "twice"
        layer.input = ["x"]
        layer.output = ["y"]
        layer.layer = .activation(
          .making { $0.nonlinearityType = .linear(.making { $0.alpha = 2 }) })
      }
    ]
    func feature(_ name: String) -> Spec.FeatureDescription {
      .making { feature in
        feature.name = name
        feature.type = .making { type in
          type.type = .multiArrayType(
            .making {
              $0.shape = [1, 3, 2, 2]
              $0.dataType = .float32
            })
        }
      }
    }
    let model: Spec.Model = .making { model in
      model.specificationVersion = 4
      model.type = .neuralNetwork(network)
      model.description = .making {
        $0.input = [feature("x")]
        $0.output = [feature("y")]
      }
    }
    try model.write(to: file)
    return file
  }

  @Test("--verbose prints a line for each layer with its operator, input and shape")
  func verbose() throws {
    try Fixtures.withFolder { folder in
      let made = try Program.run([
        "convert", try doubling(folder).path, "-o",
        folder.appendingPathComponent("twice.onnx").path, "--verbose",
      ])
      #expect(made.status == 0, "\(made.errors)")
      #expect(
        made.errors.contains("1/1  twice: Activation of x → float32 1 × 3 × 2 × 2"),
        "\(made.errors)")
    }
  }

  @Test("A model becomes a program with other names and an author, and gives the same results")
  func program() throws {
    try Fixtures.withFolder { folder in
      let package = folder.appendingPathComponent("twice.mlpackage").path
      let made = try Program.run([
        "convert", try doubling(folder).path, "-o", package, "--name", "x=in", "--name", "y=out",
        "--author", "Ada", "--shape", "x=1,3,2..,2..", "--precision", "float32",
      ])
      #expect(made.status == 0, "\(made.errors)")
      let inspected = try Program.run(["inspect", package])
      #expect(inspected.output.contains("mlProgram") && inspected.output.contains("Ada"))
      let predicted = try Program.run([
        "predict", package, "-i", "in=[[[[1,2],[3,4]],[[5,6],[7,8]],[[9,10],[11,12]]]]",
      ])
      #expect(predicted.output.contains("\"out\""), "\(predicted.errors)")
      #expect(predicted.output.contains("24"))
    }
  }

  @Test("An input becomes an image with a colour order and a scale")
  func picture() throws {
    try Fixtures.withFolder { folder in
      let package = folder.appendingPathComponent("twice.mlpackage").path
      let made = try Program.run([
        "convert", try doubling(folder).path, "-o", package, "--image-input", "x=bgr",
        "--scale", "1/2", "--bias=1,2,3", "--image-output", "y=bgr",
      ])
      #expect(made.status == 0, "\(made.errors)")
      let inspected = try Program.run(["inspect", package])
      #expect(inspected.output.contains("picture 2 × 2, BGR"), "\(inspected.output)")
    }
  }

  private static let book: URL = GenerateTests.root.deletingLastPathComponent()
    .appendingPathComponent("shared/models/starry-night")

  @Test(
    "The book's Keras network becomes layers, with a custom class for each Lambda",
    .enabled(if: FileManager.default.fileExists(atPath: book.path)))
  func customLayers() throws {
    try Fixtures.withFolder { folder in
      let file = folder.appendingPathComponent("Starry.mlmodel").path
      let source: [String] = [
        "convert",
        GenerateTests.root.appendingPathComponent(
          "Tests/KerasFormatTests/Expected/starry-night.json"
        ).path, "--with",
        Self.book.appendingPathComponent("van-gogh-starry-night_style.h5").path, "-o", file,
      ]
      let refused = try Program.run(source)
      #expect(refused.status == 1 && refused.errors.contains("--custom 'res_crop=ClassName"))
      let made = try Program.run(
        source + [
          "--custom", "res_crop=ResCropBlockLambda:return x[:, 2:-2, 2:-2]", "--custom",
          "rescale_output=RescaleOutputLambda:Rescale output using ((x+1)*127.5)",
        ])
      #expect(made.status == 0, "\(made.errors)")
      let inspected = try Program.run(["inspect", file])
      #expect(inspected.output.contains("custom"), "\(inspected.output)")
      #expect(inspected.output.contains("ResCropBlockLambda"), "\(inspected.output)")

      // This program is linked with the book's layer classes (Tests/ListingTests/Book.swift), which compute the layers'
      // output shapes.
      let painting: [String] = ["--image-input", "input_1", "--image-output", "rescale_output"]
      let classes: [String] = [
        "--custom", "res_crop=ResCropBlockLambda", "--custom", "rescale_output=RescaleOutputLambda",
      ]
      let pictures = try Program.run(source + classes + painting)
      #expect(pictures.status == 0, "\(pictures.errors)")
      let shown = try Program.run(["inspect", file])
      #expect(
        shown.output.contains("rescale_output: picture 320 × 320, RGB"), "\(shown.output)")

      // The command line states the classes and the output shapes of the Lambda layers. This program does not contain
      // these classes.
      let unknown: [String] = [
        "--custom", "res_crop=MyCrop", "--custom", "rescale_output=MyRescale", "--custom",
        "res_crop_4.shape=64,80,80", "--custom", "rescale_output.shape=3,320,320",
      ]
      let stated = try Program.run(source + unknown + painting)
      #expect(stated.status == 0, "\(stated.errors)")
    }
  }

  @Test(
    "Names that the model does not have are refused with a message",
    arguments: [
      (["--image-input", "z"], "no input 'z'"), (["--name", "z=a"], "no input or output 'z'"),
      (["--name", "x=y"], "has an input or output of this name"),
      (["--scale", "2"], "add --image-input"),
      (["--shape", "x=1,3,9..2,2"], "ends before it begins"),
    ])
  func refusals(options: [String], sentence: String) throws {
    try Fixtures.withFolder { folder in
      let target = folder.appendingPathComponent("out.mlpackage").path
      let made = try Program.run(["convert", try doubling(folder).path, "-o", target] + options)
      #expect(made.status != 0)
      #expect(made.errors.contains(sentence), "\(made.errors)")
      #expect(!FileManager.default.fileExists(atPath: target))
    }
  }

  @Test("A file name without a known format is refused with the list of formats")
  func ending() throws {
    try Fixtures.withFolder { folder in
      let target = folder.appendingPathComponent("out.txt").path
      let made = try Program.run(["convert", try doubling(folder).path, "-o", target])
      #expect(made.status == 1 && made.errors.contains(".mlpackage"))
    }
  }
}
