#!/bin/sh
# code_saturne in a cavity, laminar, on a mesh of Gmsh: code_saturne.sh MESH ORDER FOLDER prints
# processor seconds a time step. By ORDER own it orders cells itself, by OWN: hilbert, rcm or scotch.
# Debian's programs are in /usr/lib/code_saturne, or where CODE_SATURNE says. It runs by one thread:
# those that wait spin, which counts as processor time, and for more it orders faces anew.
export OMP_NUM_THREADS=1
bin=${CODE_SATURNE:-/usr/lib/code_saturne}
[ -x "$bin/cs_solver" ] || { echo "code_saturne is not here: apt-get install code-saturne"; exit 127; }
set -e
cd "$3"
# Its users' own numbering and what they call each step; 7: no order.
case "$2.${OWN:-rcm}" in own.hilbert) way=5 ;; own.rcm) way=6 ;; own.scotch) way=1 ;; *) way=7 ;; esac
cat >user.c <<END
#include <stdbool.h>
#include <stdio.h>
#include <time.h>
void cs_renumber_set_algorithm(bool, bool, int, int, int, int, int, int);
void cs_user_numbering(void) {
    if ($way != 7)
        cs_renumber_set_algorithm(false, false, 0, 7, $way, 3, 2, 2);
}
void cs_user_extra_operations(void *domain) {
    printf("processor seconds: %.4f\n", clock() / (double)CLOCKS_PER_SEC);
    fflush(stdout);
}
END
cc -w -O1 -shared -fPIC user.c -o user.so
cat >setup.xml <<END
<?xml version="1.0" encoding="utf-8"?>
<Code_Saturne_GUI study="" case="" version="2.0" solver_version="6.0">
  <analysis_control>
    <output><writer id="-1" label="results">
      <directory name="postprocessing"/> <format name="ensight" options=""/>
      <frequency period="none"/> <output_at_end status="off"/> <time_dependency choice="fixed_mesh"/>
    </writer></output>
    <time_parameters>
      <iterations>3</iterations> <time_passing>0</time_passing> <time_step_ref>0.0001</time_step_ref>
    </time_parameters>
  </analysis_control>
  <boundary_conditions>
    <boundary label="lid" name="1" nature="wall">6</boundary>
    <boundary label="walls" name="2" nature="wall">1 or 2 or 3 or 4 or 5</boundary>
    <wall label="lid" field_id="none"><velocity_pressure choice="on">
      <dirichlet name="velocity" component="0">1</dirichlet>
      <dirichlet name="velocity" component="1">0</dirichlet>
      <dirichlet name="velocity" component="2">0</dirichlet>
    </velocity_pressure></wall>
    <wall label="walls" field_id="none"><velocity_pressure choice="off"/></wall>
  </boundary_conditions>
  <numerical_parameters/>
  <physical_properties><fluid_properties>
    <property name="density" choice="constant"><initial_value>1</initial_value></property>
    <property name="molecular_viscosity" choice="constant"><initial_value>0.01</initial_value></property>
  </fluid_properties></physical_properties>
  <solution_domain><volumic_conditions>
    <zone label="all_cells" id="1" initialization="on">all[]</zone>
  </volumic_conditions></solution_domain>
  <thermophysical_models>
    <atmospheric_flows model="off"/> <compressible_model model="off"/> <gas_combustion model="off"/>
    <groundwater_model model="off"/> <hgn_model model="off"/> <joule_effect model="off"/>
    <radiative_transfer model="off"/> <solid_fuels model="off"/> <thermal_scalar model="off"/>
    <turbulence model="off"/>
    <velocity_pressure>
      <variable name="pressure" label="Pressure"/>
      <variable name="velocity" dimension="3" label="Velocity"/>
    </velocity_pressure>
  </thermophysical_models>
</Code_Saturne_GUI>
END
"$bin/cs_preprocess" --out mesh_input "$1" >log 2>&1
LD_PRELOAD=./user.so "$bin/cs_solver" >>log 2>&1 || { tail -n 20 run_solver.log; exit 1; }
grep -h -A 1 '^ *cells adjacent to ghost' run_solver.log || true
grep -h '^processor seconds' log run_solver.log | awk '{ if (!n++) first = $3; last = $3 } END { print "seconds a step:", (last - first) / (n - 1) }'
