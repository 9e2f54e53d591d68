"""What the emulator counts beside the hardware, run by run: counted_twice.py LAB, after tess sweep
counters.yaml. Prints deviations in percent; 0 is the same number."""

import collections
import glob
import sys

import h5py


runs = collections.defaultdict(dict)
for p in glob.glob(sys.argv[1]+"/runs/*.hdf"):
    with h5py.File(p) as f:
        c={r["key"].decode():r["text"].decode() for r in f["configuration"][:]}
        m={(r["name"].decode(),r["source"].decode()):float(r["value"]) for r in f["metrics"][:]}
    key=(c["application"],c["mesh"],c["layouts"],c["strategy"])
    src="emulator" if c["device"].startswith("emulator") else "counter"
    runs[key][src]={n:v for (n,s),v in m.items() if s==src}
names=["read_sectors","write_sectors","atomic_sectors","shared_bank_conflicts","barriers"]
exact = within = total = 0
for k in sorted(runs):
    e,h=runs[k].get("emulator"),runs[k].get("counter")
    if not e or not h: continue
    cells=[]
    for n in names:
        a,b=e.get(n,float('nan')),h.get(n,float('nan'))
        total += 1
        if a==b: exact+=1; within+=1; cells.append("0" if b else "–")
        else:
            d=100*(a/b-1) if b else float('inf'); within+=abs(d)<=1; cells.append("%+.2f"%d)
    print("| %s %s, %s | %s | %s |"%(k[0],k[1].split(":")[0],k[2],k[3]," | ".join(cells)))
print(f"{exact} of {total} are the same, {within} within 1 %")
