import CAtelierHeader
import CoreML

/// What an `atelier_state` is.
private final class ModelState {
  let model: LoadedModel
  let state: MLState

  init(of model: LoadedModel) {
    self.model = model
    state = model.model.makeState()
  }
}

@c @implementation
public func atelier_state_make(
  _ model: OpaquePointer?, _ state: UnsafeMutablePointer<OpaquePointer?>?,
  _ sentence: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> atelier_status {
  reporting(to: sentence) {
    let target = try given(state, "state")
    target.pointee = handle(ModelState(of: object(behind: try given(model, "model"))))
  }
}

@c @implementation
public func atelier_state_release(_ state: OpaquePointer?) { release(state, ModelState.self) }

@c @implementation
public func atelier_predict_state(
  _ state: OpaquePointer?, _ inputs: UnsafePointer<atelier_feature>?, _ input_count: Int64,
  _ results: UnsafeMutablePointer<OpaquePointer?>?,
  _ sentence: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> atelier_status {
  reporting(to: sentence) {
    let target = try given(results, "results")
    let kept: ModelState = object(behind: try given(state, "state"))
    target.pointee = handle(
      try kept.model.predict(Inputs(inputs, count: input_count), using: kept.state))
  }
}

@c @implementation
public func atelier_state_read(
  _ state: OpaquePointer?, _ name: UnsafePointer<CChar>?,
  _ results: UnsafeMutablePointer<OpaquePointer?>?,
  _ sentence: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> atelier_status {
  reporting(to: sentence) {
    let target = try given(results, "results")
    let kept: ModelState = object(behind: try given(state, "state"))
    let name = String(cString: try given(name, "name"))
    let read = Results(of: kept.model, capacity: 1)
    read.append(MLFeatureValue(multiArray: try kept.state.copy(of: name)), named: name)
    target.pointee = handle(read)
  }
}

@c @implementation
public func atelier_state_write(
  _ state: OpaquePointer?, _ value: UnsafePointer<atelier_feature>?,
  _ sentence: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> atelier_status {
  reporting(to: sentence) {
    let kept: ModelState = object(behind: try given(state, "state"))
    let inputs = try Inputs(value, count: 1)
    for name in inputs.featureNames {
      guard let array = inputs.featureValue(for: name)?.multiArrayValue else {
        throw CallError("The value of the state '\(name)' is no array.")
      }
      try kept.state.set(name, to: array)
    }
  }
}
