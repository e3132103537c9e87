import Engine
import Layers
import Testing

/// A wrong number must not look like a right one.
@Suite("NaN")
struct NotANumberTests {
  @Test(
    "comes out of every kernel where it comes out of the reference", arguments: LayerCase.computing,
    [Form.all[0], Form.all[2], Form.all[4]])
  func kernelsKeepNaN(test: LayerCase, form: Form) throws {
    let layer: any Layer = try test.makeLayer()
    for position in test.sample.inputs.indices {
      var inputs: [ReferenceTensor] = test.makeInputs(form.storage)
      let count: Int = inputs[position].values.count
      guard count > 0 else { continue }
      inputs[position].values[count / 2] = .nan
      let types: [TensorType] = try test.promisedTypes(layer, inputs)
      let answers: [ReferenceTensor] = try layer.reference(inputs)
      for candidate in layer.kernels {
        guard let outputs = try form.trial.run(candidate, inputs: inputs, outputs: types) else {
          continue
        }
        for (output, answer) in zip(outputs, answers) {
          #expect(
            places(of: output) == places(of: answer),
            "\(candidate.name) with NaN in input \(position)")
        }
      }
    }
  }

  private func places(of tensor: ReferenceTensor) -> [Int] {
    tensor.values.indices.filter { tensor.values[$0].isNaN }
  }
}
