import Engine
import ModelFormat
import Testing

@testable import ONNXFormat

@Suite("What an ONNX node states")
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

  @Test("is listed for every operator that is read")
  func coverage() {
    #expect(NodeForm.names == NodeCatalog.standard.names)
  }

  @Test("is refused where it is an attribute that the operator does not have")
  func unknownAttribute() {
    var making = ModelMaking()
    making.input("x", [2, 3])
    making.add("Relu", ["x"], ["y"], ModelMaking.int("slope", 1))
    making.output("y")
    #expect(
      sentence(making)
        == "Relu 'y': it has the attribute 'slope', which ONNX does not know of Relu.")
  }

  @Test("is refused where the attribute has gone in the model's opset, or is not there yet")
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

  @Test("is refused where the attribute holds another type")
  func otherType() {
    var making = ModelMaking()
    making.input("x", [2, 3])
    making.add("LeakyRelu", ["x"], ["y"], ModelMaking.int("alpha", 1))
    making.output("y")
    #expect(
      sentence(making) == "LeakyRelu 'y': the attribute 'alpha' holds int, expected float.")
  }

  @Test("is refused where it reads more than the operator takes")
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

  @Test("names the node and its type, not the operators that it becomes")
  func names() {
    var making = ModelMaking()
    making.input("x", [2, 3])
    making.input("z", [4, 5])
    making.add("MatMul", ["x", "z"], ["y"])
    making.output("y")
    #expect(sentence(making).hasPrefix("MatMul 'y': "))
  }
}
