import Foundation
import ModelFormat
import Testing

/// Tests integers on the command line that exceed an input's type.
@Suite(.enabled(if: Program.isBuilt))
struct IntegerInputTests {
  /// Writes a model that doubles an int32 array. Returns its path.
  private func model(in folder: URL) throws -> String {
    let text = """
      program(1.0)
      {
          func main<ios16>(tensor<int32, [2]> s) {
              tensor<int32, []> two = const()[name = tensor<string, []>("two"), val = tensor<int32, []>(2)];
              tensor<int32, [2]> y = mul(x = s, y = two)[name = tensor<string, []>("y")];
          } -> (y);
      }
      """
    func array(_ name: String) -> Spec.FeatureDescription {
      .making { feature in
        feature.name = name
        feature.type = .making { type in
          type.type = .multiArrayType(
            .making {
              $0.shape = [2]
              $0.dataType = .int32
            })
        }
      }
    }
    let program = try MILText(parsing: ByteValues(Array(text.utf8)), name: "model.mil").program
    let model: Spec.Model = .making { model in
      model.specificationVersion = 7
      model.type = .mlProgram(program)
      model.description = .making {
        $0.input = [array("s")]
        $0.output = [array("y")]
      }
    }
    let file: URL = folder.appendingPathComponent("model.mlmodel")
    try model.write(to: file)
    return file.path
  }

  @Test(
    "An integer beyond 32 bits is refused with its value and the allowed range",
    arguments: ["[4294967298,3]", "3,-2147483649"])
  func refused(text: String) throws {
    try Fixtures.withFolder { folder in
      let made = try Program.run("predict", try model(in: folder), "-i", "s=\(text)")
      #expect(made.status != 0)
      let (index, number) = text.hasPrefix("[") ? (0, "4294967298") : (1, "-2147483649")
      #expect(
        made.errors.contains(
          "--input s: Element \(index) is \(number), which an array of int32 numbers cannot hold; "
            + "expected -2147483648 to 2147483647."), "\(made.errors)")
    }
  }

  @Test("Integers beyond float32's precision are exact")
  func exact() throws {
    try Fixtures.withFolder { folder in
      let made = try Program.run(
        "predict", try model(in: folder), "-i", "s=[16777217,-1073741824]")
      #expect(made.status == 0, "\(made.errors)")
      #expect(made.output.contains("33554434"))
      #expect(made.output.contains("-2147483648"))
    }
  }
}
