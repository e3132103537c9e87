import ModelFormat
import OperatorSamples

extension ModelSeed {
  /// The sample programs with values for their inputs. The values are fractions, or integers that are valid indices.
  static let programs: [(kind: String, seed: ModelSeed)] = {
    let programs: [(name: String, model: Spec.Model)]
    do {
      programs = try SamplePrograms.all()
    } catch {
      preconditionFailure("the sample programs cannot be read: \(error)")
    }
    return programs.map { name, model in
      var values: [String: [Double]] = [:]
      for input in model.description?.input ?? [] {
        guard case .multiArrayType(let array)? = input.type?.type else { continue }
        let isInteger: Bool = array.dataType == .int32
        values[input.name] = (0..<60).map { (index: Int) -> Double in
          isInteger ? Double(index % 3) : Double(index % 17) / 8 - 1
        }
      }
      let kind = "program: \(name)"
      return (kind, ModelSeed(kind: kind, model: model, values: values))
    }
  }()
}
