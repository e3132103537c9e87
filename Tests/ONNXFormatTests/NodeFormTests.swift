import Engine
import ModelFormat
import Testing

@testable import ONNXFormat

@Suite("The form of an ONNX node")
struct NodeFormTests {
  private func sentence(_ making: ModelMaking) -> String {
    do {
      _ = try making.read()
      return ""
    } catch {
      return "\(error)"
    }
  }

  private func attribute(_ name: String, floats: [Float]) -> ONNX.AttributeProto {
    var result = ONNX.AttributeProto()
    (result.name, result.type, result.floats) = (name, .floats, FloatValues(floats))
    return result
  }

  @Test("The attributes and input counts of every operator that is read are known")
  func coverage() {
    #expect(NodeForm.names == NodeCatalog.standard.names)
  }

  @Test("A node with an attribute that its operator does not have is refused")
  func unknownAttribute() {
    var making = ModelMaking()
    making.input("x", [2, 3])
    making.add("Relu", ["x"], ["y"], ModelMaking.int("slope", 1))
    making.output("y")
    #expect(
      sentence(making)
        == "Relu 'y': it has the attribute 'slope', which ONNX does not define for Relu.")
  }

  @Test("A node with an attribute that the model's opset does not have is refused")
  func otherOpset() {
    var making = ModelMaking(opset: 18)
    making.input("x", [1, 3])
    making.add("Squeeze", ["x"], ["y"], attribute("axes", floats: [0]))
    making.output("y")
    #expect(
      sentence(making)
        == "Squeeze 'y': it has the attribute 'axes', which Squeeze does not have in opset 18.")
    var older = ModelMaking(opset: 11)
    older.input("x", [2, 3])
    older.add("ReduceMax", ["x"], ["y"], ModelMaking.int("noop_with_empty_axes", 1))
    older.output("y")
    #expect(sentence(older).contains("which ReduceMax does not have in opset 11."))
  }

  @Test("A node with an attribute of the wrong type is refused")
  func otherType() {
    var making = ModelMaking()
    making.input("x", [2, 3])
    making.add("LeakyRelu", ["x"], ["y"], ModelMaking.int("alpha", 1))
    making.output("y")
    #expect(
      sentence(making) == "LeakyRelu 'y': the attribute 'alpha' holds int, expected float.")
  }

  @Test("A node with more inputs than its operator has is refused")
  func tooManyInputs() {
    var making = ModelMaking(opset: 11)
    making.input("x", [1, 3])
    making.constant(ModelMaking.ints("axes", [1], [0]))
    making.add("Squeeze", ["x", "axes"], ["y"])
    making.output("y")
    #expect(
      sentence(making)
        == "Squeeze 'y': it has 2 inputs, but Squeeze takes at most 1 in opset 11.")
  }

  @Test("Errors name a node and its ONNX type, not the operators that it becomes")
  func names() {
    var making = ModelMaking()
    making.input("x", [2, 3])
    making.input("z", [4, 5])
    making.add("MatMul", ["x", "z"], ["y"])
    making.output("y")
    #expect(sentence(making).hasPrefix("MatMul 'y': "))
  }
}
